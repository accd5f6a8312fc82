"""Writes the wheel of a pure package, with the same bytes from the same sources: wheel.py FOLDER TARGET."""

import base64
import hashlib
import pathlib
import sys
import tomllib
import zipfile

folder, target = map(pathlib.Path, sys.argv[1:])
project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
name, version = project["name"], project["version"]
info = f"{name}-{version}.dist-info"

fields = [
    ("Metadata-Version", "2.1"),
    ("Name", name),
    ("Version", version),
    ("Summary", project["description"]),
    ("License", project["license"]["text"]),
    *(("Project-URL", f"{label}, {url}") for label, url in project["urls"].items()),
    ("Requires-Python", project["requires-python"]),
    *(("Requires-Dist", wanted) for wanted in project["dependencies"]),
]
for extra, wanted in project["optional-dependencies"].items():
    fields.append(("Provides-Extra", extra))
    fields += [("Requires-Dist", f'{one}; extra == "{extra}"') for one in wanted]
fields.append(("Description-Content-Type", "text/markdown"))
metadata = "".join(f"{key}: {value}\n" for key, value in fields)
page = (folder / project["readme"]).read_text("utf-8")

sources = folder / "src"
files = {
    path.relative_to(sources).as_posix(): path.read_bytes()
    for path in sorted((sources / name).rglob("*"))
    if path.suffix == ".py" or path.name == "py.typed"
}
files[f"{info}/METADATA"] = f"{metadata}\n{page}".encode()
files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: lamppost\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
files[f"{info}/LICENSE"] = (folder / ".." / ".." / "LICENSE").read_bytes()


def recorded(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


record = "".join(recorded(path, content) for path, content in files.items()) + f"{info}/RECORD,,\n"
files[f"{info}/RECORD"] = record.encode()

with zipfile.ZipFile(target / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
    for path, content in files.items():
        # The oldest date of a zip file. Files are stored, because compressed bytes depend on the version of zlib.
        entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = 0o100644 << 16
        entry.create_system = 3
        wheel.writestr(entry, content)
