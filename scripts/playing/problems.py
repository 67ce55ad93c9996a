"""Problems, which a search proves, or a person."""

from functools import partial
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject
from jaxgp.host import console
from playing.options import Options

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast


def prove(options: Options, cast: "Cast") -> None:
    """Search a problem, say what was found and how, and write its proof; or let a person solve it."""
    from jaxgp import files
    from jaxgp.host import proving
    from jaxgp.report.waiting import waiting
    from jaxgp.search.proofs import proof

    for name in ("opponent", "resume", "replay", "picture"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name}: {cast.game.name} is a problem, which a search proves; leave it out")
    targets = {}
    if options.save:
        path = files.user_path("save", options.save)
        known = (".json", ".txt", *cast.spec.proving.files)  # type: ignore[union-attr]
        endings = (path.suffix,) if path.suffix else known
        if not set(endings) <= set(known):
            reject("save", options.save, f"FILE, or FILE with one of the endings {', '.join(known)}")
        targets = {ending: path.with_suffix(ending) for ending in endings}
        for target in targets.values():
            files.check_writable("save", target)
    desk = proving.Desk(cast.spec, cast.game, options.limit)
    with waiting("Compiling the search"):
        solved = desk.solve()
    if options.teach:
        proving.teach(cast.spec, desk, console.ask, print)
        return
    print(cast.spec.drawing.text(cast.game, desk.state))
    print("\n".join(proving.report(cast.spec, solved)))
    content = {
        ".json": lambda: proof.write(solved.proof),
        ".txt": lambda: "\n".join(
            [*proving.tree(cast.spec, solved.proof, whole=True), "", *proving.refutations(cast.spec, solved), ""]
        ),
    }
    for ending, target in targets.items():
        made = content.get(ending) or partial(cast.spec.proving.files[ending], solved.proof, solved.moves)  # type: ignore[union-attr]
        files.save_text("save", target, made())
        console.say(f"Written: {target}")
