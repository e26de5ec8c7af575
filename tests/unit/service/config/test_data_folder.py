"""Any number of processes share a data folder; one that needs it for itself keeps others away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config import data_folder
from sourcebook.service.config.data_folder import (
    DataFolder,
    FolderInUse,
    is_used,
    make_data_folder,
    open_leadership,
    own_exclusively,
    use_data_folder,
    users_of,
)

ANOTHER = """
import asyncio, sys
from pathlib import Path
from sourcebook.service.config.data_folder import DataFolder, use_data_folder
async def main():
    async with use_data_folder(DataFolder(Path(sys.argv[1]))) as use:
        use.share()
        print("open", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_only_the_first_of_those_who_share_a_folder_is_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")

    async with use_data_folder(folder) as first:
        first.share()
        async with use_data_folder(folder) as second:
            assert (first.alone, second.alone) == (True, False)
            assert len(users_of(folder)) == 2
    async with use_data_folder(folder) as third:
        assert third.alone


async def test_nobody_comes_in_before_the_first_one_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_folder, "OPENING_TIMEOUT_S", 0.0)
    folder = DataFolder(tmp_path)

    async with use_data_folder(folder):
        with pytest.raises(FolderInUse, match=rf"in use by process {os.getpid()} \(.*try again"):
            async with use_data_folder(folder):
                pass


async def test_what_needs_a_folder_for_itself_names_who_uses_it(tmp_path: Path) -> None:
    async with use_data_folder(DataFolder(tmp_path)) as use:
        use.share()
        with (
            pytest.raises(FolderInUse, match=rf"process {os.getpid()} .* `sourcebook restore`"),
            own_exclusively(tmp_path, "sourcebook restore"),
        ):
            pass
    with own_exclusively(tmp_path, "sourcebook restore") as folder:
        assert is_used(folder)
    assert not is_used(folder)


async def test_a_killed_process_keeps_nobody_away_and_is_forgotten(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    command = [sys.executable, "-c", ANOTHER, str(tmp_path)]
    with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
        command, stdout=subprocess.PIPE, text=True
    ) as another:
        assert another.stdout is not None
        assert another.stdout.readline() == "open\n"
        assert users_of(folder) == [f"process {another.pid} (`-c`)"]
        another.kill()

    assert users_of(folder) == []
    async with use_data_folder(folder) as use:
        assert use.alone
        assert len(list(folder.processes.iterdir())) == 1


async def test_one_process_leads_until_it_ends(tmp_path: Path) -> None:
    folder = make_data_folder(tmp_path)

    with open_leadership(folder) as first:
        assert await first.lead()
        with open_leadership(folder) as second:
            assert not await second.lead()
            assert await first.lead()
    with open_leadership(folder) as third:
        assert await third.lead()


async def test_a_command_leads_only_where_no_service_does(tmp_path: Path) -> None:
    folder = make_data_folder(tmp_path)

    with open_leadership(folder, stays=False) as command, open_leadership(folder) as service:
        assert await command.lead()
        assert await service.lead()
        assert not await command.lead()


def test_the_folder_is_private(tmp_path: Path) -> None:
    folder = make_data_folder(tmp_path / "data")

    assert folder.root.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigurationError, match="cannot be used"):
        make_data_folder(tmp_path / "file" / "data")
