"""``machines``: the machines of Vertex AI training, their accelerators and prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.tables import print_structured, table
from vertex_jobs.cli.terminal import print_result, say, say_prose
from vertex_jobs.cli.verb import Verb
from vertex_jobs.wording import number

if TYPE_CHECKING:
    from vertex_jobs.catalog import Catalog
    from vertex_jobs.preflight.offers import Offer

_COLUMNS = (
    "machine_type",
    "vcpus",
    "memory_gb",
    "accelerators",
    "usd_per_hour_low",
    "usd_per_hour_high",
    "confidence",
    "price_date",
    "reported_regions",
)
_HEADINGS = ("machine", ">vCPU", ">GB", "GPU/TPU", ">USD/h", "sure", "checked", "regions")


@dataclass(frozen=True, kw_only=True)
class MachinesOptions:
    """The options of ``machines``."""

    gpu: str = option("--gpu TYPE", "only with this one, e.g. L4 or T4 (default: all)", default="")
    machine: str = option(
        "--machine NAME", "only those whose name starts so, e.g. g2 (default: all)", default=""
    )
    cpus: int = option("--cpus N", "only with so many vCPUs or more, cheapest first", default=0)
    memory_gb: float = option(
        "--memory-gb N", "only with so much memory or more, cheapest first", default=0.0
    )
    tpu: bool = switch("--tpu", "only TPUs")
    topology: str = option(
        "--topology T", "only TPUs with this one, e.g. 2x4 (default: all)", default=""
    )
    location: str = option(
        "--location, --region L",
        "leave out what is reported to be refused there (default: anywhere)",
        default="",
    )
    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")


def machines(options: MachinesOptions) -> int:
    """Print every machine that the filters let through.

    Raises:
        InvalidJobError: If a filter names nothing that exists.
    """
    from vertex_jobs.preflight.cost import priced_catalog
    from vertex_jobs.preflight.offers import Filters, find_offers

    known = priced_catalog()
    region = options.location
    filters = Filters(
        gpu=options.gpu,
        machine=options.machine,
        tpu=options.tpu,
        topology=options.topology,
        region=region,
        cpus=options.cpus,
        memory_gb=options.memory_gb,
    )
    offers = find_offers(known, filters)
    if options.format != "table":
        rows = [_row(offer) for offer in offers]
        cells = [[_flat(cell) for cell in row.values()] for row in rows]
        print_structured(rows, options.format, _COLUMNS, cells)
    elif offers:
        print_result(table(_HEADINGS, [_cells(offer) for offer in offers]))
        _say_what_is_not_known(known, offers, region)
    else:
        say("no machine is all of that")
    return 0


VERB = Verb(
    description="Prices are list prices of one region, each with its date and how sure it is; "
    "what is not known says so. Nothing is contacted.",
    examples=(
        "machines --gpu H100",
        "machines --cpus 8 --memory-gb 30",
        "machines --machine n1 --region europe-west4",
        "machines --tpu --topology 2x4",
    ),
    options=MachinesOptions,
    handler=machines,
)


def _say_what_is_not_known(known: "Catalog", offers: "Sequence[Offer]", region: str) -> None:
    from vertex_jobs.preflight.cost import user_file

    say()
    for note in dict.fromkeys(note for offer in offers for note in offer.rate.notes):
        say_prose(note)
    say_prose(
        f"list prices of {known.price_region} as of {known.as_of}, without boot disk and tax; an "
        "accelerator of an N1 machine is added to it"
    )
    if any(not offer.rate.hourly.is_complete for offer in offers):
        say_prose(
            f"unknown: no public source gives the price; yours counts from {user_file()} or from "
            "prices: in a config, as g2-standard-4: 0.71"
        )
    if any(offer.accelerators for offer in offers):
        where = f"that {region} has" if region else "which regions have"
        say_prose(
            f"regions: no public source at hand says {where} these accelerators; reports are users'"
        )


def _row(offer: "Offer") -> dict[str, Any]:
    line, hourly = offer.rate.lines[-1], offer.rate.hourly
    is_known = hourly.is_complete
    dates = [str(one.date) for one in offer.rate.lines if one.date]
    values = (
        offer.machine_type,
        offer.vcpus,
        offer.memory_gb,
        {name: list(counts) for name, counts in offer.accelerators.items()},
        round(hourly.low, 4) if is_known else None,
        round(hourly.high, 4) if is_known else None,
        line.confidence,
        min(dates) if dates and len(dates) == len(offer.rate.lines) else None,
        list(offer.reported),
    )
    return dict(zip(_COLUMNS, values, strict=True))


def _cells(offer: "Offer") -> list[str]:
    row = _row(offer)
    low, high = row["usd_per_hour_low"], row["usd_per_hour_high"]
    price = "unknown" if low is None else f"{low:.2f}" if low == high else f"{low:.2f}-{high:.2f}"
    return [
        offer.machine_type,
        number(offer.vcpus),
        number(float(offer.memory_gb)) if offer.memory_gb is not None else "",
        _flat(row["accelerators"]),
        price,
        row["confidence"] or "",
        row["price_date"] or ("" if low is None else "no date"),
        _regions(offer),
    ]


def _regions(offer: "Offer") -> str:
    """Return what is known of where its accelerators are; nothing for a machine without any."""
    if offer.reported:
        return f"{len(offer.reported)} reported"
    return "unknown" if offer.accelerators else ""


def _flat(cell: Any) -> Any:
    """Return a mapping or a list as one text: ``T4: 1 2 4; V100: 1 2 4 8``."""
    if isinstance(cell, dict):
        short = {name.removeprefix("NVIDIA_").removeprefix("TESLA_"): v for name, v in cell.items()}
        return "; ".join(f"{name}: {_flat(counts)}" for name, counts in short.items())
    return " ".join(map(str, cell)) if isinstance(cell, list) else cell
