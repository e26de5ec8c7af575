"""Embeds a sentence with the bundled model, in a process of its own."""

import asyncio
import subprocess
import sys
from pathlib import Path

TRIAL_TIMEOUT_S = 120
SENTENCE = "A node is one process of a ROS 2 system."


def bundled_model_works(models_dir: Path) -> bool:
    """Return whether a new process can run the bundled model."""
    command = [sys.executable, "-m", __name__, str(models_dir)]
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments, no shell
            command, capture_output=True, timeout=TRIAL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


async def _embed(models_dir: Path) -> None:
    from sourcebook.providers.declaration import Opening  # noqa: PLC0415
    from sourcebook.providers.embedders.local_provider import (  # noqa: PLC0415
        LocalEmbedderSettings,
    )
    from sourcebook.providers.embedders.openvino import open_openvino_embedder  # noqa: PLC0415
    from sourcebook.providers.inference.local_models import (  # noqa: PLC0415
        BUNDLED,
        BUNDLED_MODEL,
    )

    settings = LocalEmbedderSettings.model_validate({"path": BUNDLED + BUNDLED_MODEL})
    opening = Opening("trial", models_dir, models_dir)
    async with open_openvino_embedder(settings, opening) as embedder:
        await embedder.embed_query(SENTENCE)


if __name__ == "__main__":
    asyncio.run(_embed(Path(sys.argv[1])))
