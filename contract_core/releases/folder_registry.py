"""A registry as a folder in version control: for each release its text to the letter and a record, written once; a changelog for people.

The record is what makes a release. It gets its name last, and its draft lies beside the text until then: a text with a draft was
begun and is begun anew, a text with neither has lost its record.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from contract_core.contract.model import NAME, VERSION
from contract_core.contract.yaml_document import MAX_BYTES
from contract_core.diff.versions import version_of
from contract_core.errors import ContractAlteredError, Problem
from contract_core.releases.changelog import changelog_text
from contract_core.releases.failures import told_reading, told_writing
from contract_core.releases.plain_files import (
    NoPlainFileError,
    draft_of,
    flush_folder,
    locked,
    place_once,
    read_plain_file,
    write_draft,
)
from contract_core.releases.release import Release
from contract_core.releases.sealed import (
    NEVER,
    Stored,
    missing,
    opened,
    record_bytes,
    refuse_other,
    refuse_unfit,
    refuse_unknown_predecessor,
)

_MAX_RECORD = 64 << 20
_TEXT, _RECORD, _CHANGELOG = ".yaml", ".json", "CHANGELOG.md"
_Found = tuple[tuple[Release, ...], tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class FolderRegistry:
    """The releases below one folder; a folder that is not there yet holds none."""

    root: Path

    def versions(self) -> Mapping[str, tuple[str, ...]]:
        """The versions of every contract by its name, in order, unread. Raises ContractCoreError where a folder cannot be read."""
        found = {name: self._versions(name) for name in self._names()}
        return {name: versions for name, versions in found.items() if versions}

    def releases(self, name: str | None = None) -> tuple[Release, ...]:
        """All releases, of one contract where it is named, by name and version.

        Raises ContractAlteredError with everything that was altered or is missing, ContractCoreError where a file cannot be read.
        """
        releases, problems = self._read(name)
        if problems:
            raise ContractAlteredError(*problems)
        return releases

    def add(self, release: Release) -> Release:
        """The release as the registry has it from now on; the same digest again is the release that is there.

        Raises ContractAlteredError where the version has another digest or a neighbour was altered, WrongUsageError and
        InvalidContractError for a release that does not hold together, ContractCoreError where nothing can be written.
        """
        refuse_unfit(release)
        with told_writing(self.root), locked(self.root):
            folder = self.root / release.name
            _refuse_link(folder, release.name)
            _clear_unfinished(folder)
            known = self.releases(release.name)
            found = next((other for other in known if other.version == release.version), None)
            if found is None:
                refuse_unknown_predecessor(release, known)
                _write(folder, release)
                known = (*known, release)
            else:
                refuse_other(found, release)
            _write_changelog(folder, changelog_text(known))
        return found or release

    def problems(self, name: str | None = None) -> tuple[Problem, ...]:
        """Everything that was altered or is missing, the changelogs included; nothing where all is as it was released."""
        releases, problems = self._read(name)
        return (*problems, *self._stale_changelogs(releases, problems))

    def _read(self, name: str | None) -> _Found:
        releases: list[Release] = []
        problems: list[Problem] = []
        known: set[tuple[str, str]] = set()
        with told_reading(self.root):
            for contract in self._names() if name is None else (name,):
                for version in self._versions(contract):
                    known.add((contract, version))
                    try:
                        found = self._release(contract, version)
                    except ContractAlteredError as error:
                        problems.extend(error.problems)
                    else:
                        releases.extend([found] if found is not None else [])
        return tuple(releases), (*problems, *missing(releases, known))

    def _release(self, name: str, version: str) -> Release | None:
        """The release, None where it was begun and not finished."""
        text, record = self.root / name / f"{version}{_TEXT}", self.root / name / f"{version}{_RECORD}"
        about = f"contract '{name}' {version}"
        try:
            sealed = read_plain_file(record, _MAX_RECORD)
        except FileNotFoundError:
            if draft_of(record).exists() or not text.exists():
                return None
            if record.exists():  # it got its name in between
                return self._release(name, version)
            raise _incomplete(f"the record of {about} is missing, and its text is there", record) from None
        except NoPlainFileError:
            raise _incomplete(f"the record of {about} is no plain file of ours", record) from None
        try:
            content = read_plain_file(text, MAX_BYTES)
        except FileNotFoundError:
            raise _incomplete(f"the text of {about} is missing, and its record is there", text) from None
        except NoPlainFileError:
            raise _incomplete(f"the text of {about} is no plain file of ours", text) from None
        return opened(Stored(name, version, content, sealed, str(text), str(record)))

    def _names(self) -> tuple[str, ...]:
        with told_reading(self.root):
            try:
                return tuple(sorted(path.name for path in self.root.iterdir() if NAME.fullmatch(path.name)))
            except FileNotFoundError:
                return ()

    def _versions(self, name: str) -> tuple[str, ...]:
        if not NAME.fullmatch(name):
            return ()
        folder = self.root / name
        _refuse_link(folder, name)
        with told_reading(folder):
            try:
                files = [path.name for path in folder.iterdir()]
            except (FileNotFoundError, NotADirectoryError):
                return ()
        stems = {file.removesuffix(end) for file in files for end in (_TEXT, _RECORD) if file.endswith(end)}
        return tuple(sorted((stem for stem in stems if VERSION.fullmatch(stem)), key=version_of))

    def _stale_changelogs(self, releases: tuple[Release, ...], problems: tuple[Problem, ...]) -> Iterator[Problem]:
        if problems:
            return
        for name in sorted({release.name for release in releases}):
            path = self.root / name / _CHANGELOG
            expected = changelog_text(release for release in releases if release.name == name)
            with told_reading(path), suppress(FileNotFoundError):
                try:
                    is_told = read_plain_file(path, _MAX_RECORD) == expected.encode()
                except NoPlainFileError:
                    is_told = False
                if not is_told:
                    what = f"the changelog of contract '{name}' does not tell what the records say"
                    yield Problem("", what, f"remove {path}: it is written anew with the next release")


def _incomplete(what: str, place: Path) -> ContractAlteredError:
    return ContractAlteredError(Problem("", what, f"{NEVER} and never go: restore {place}"))


def _refuse_link(folder: Path, name: str) -> None:
    if folder.is_symlink():
        hint = "put the folder itself there: what a link leads to is not kept by the registry"
        raise ContractAlteredError(Problem("", f"the releases of contract '{name}' lie behind a link, {folder}", hint))


def _write(folder: Path, release: Release) -> None:
    folder.mkdir(exist_ok=True)
    flush_folder(folder.parent)
    text, record = folder / f"{release.version}{_TEXT}", folder / f"{release.version}{_RECORD}"
    try:
        write_draft(record, record_bytes(release), 0o444)
        write_draft(text, release.text.encode(), 0o444)
        place_once(text)
        place_once(record)
    finally:
        with suppress(OSError):
            _clear_unfinished(folder)


def _clear_unfinished(folder: Path) -> None:
    """Takes away what a release that was not finished has left: its text first, the draft that tells of it last."""
    for draft in sorted(folder.glob(f".*{_RECORD}")) if folder.is_dir() else ():
        record = folder / draft.name.removeprefix(".")
        if not VERSION.fullmatch(record.stem):
            continue
        text = record.with_suffix(_TEXT)
        if not record.exists():
            text.unlink(missing_ok=True)
        draft_of(text).unlink(missing_ok=True)
        draft.unlink()


def _write_changelog(folder: Path, text: str) -> None:
    path = folder / _CHANGELOG
    with suppress(FileNotFoundError, NoPlainFileError):
        if read_plain_file(path, _MAX_RECORD) == text.encode():
            return
    write_draft(path, text.encode(), 0o644).replace(path)
    flush_folder(folder)
