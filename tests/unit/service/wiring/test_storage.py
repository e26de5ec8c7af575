"""What a data folder is opened with: jobs of the dead go on at once, those of the living wait."""

from pathlib import Path

from sourcebook.core.jobs import JobRequest
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.storage import open_ledger


async def test_the_jobs_of_a_killed_process_go_on_at_once(tmp_path: Path) -> None:
    settings, data_folder = load_settings(data_dir=tmp_path), DataFolder(tmp_path)
    async with open_ledger(settings, data_folder, shared=True) as killed:
        await killed.jobs.enqueue(JobRequest("book"))
        assert await killed.jobs.claim(3_600.0) is not None

    async with open_ledger(settings, data_folder, shared=True) as next_one:
        again = await next_one.jobs.claim(30.0)

    assert again is not None


async def test_a_process_that_comes_takes_no_job_from_one_that_is_there(
    tmp_path: Path,
) -> None:
    settings, data_folder = load_settings(data_dir=tmp_path), DataFolder(tmp_path)
    async with open_ledger(settings, data_folder, shared=True) as working:
        await working.jobs.enqueue(JobRequest("book"))
        assert await working.jobs.claim(3_600.0) is not None
        async with open_ledger(settings, data_folder, shared=True) as other:
            assert await other.jobs.claim(30.0) is None
            # Each sees at once what the other has committed.
            await other.jobs.enqueue(JobRequest("other"))
        assert await working.jobs.claim(30.0) is not None
