/**
 * The Python of the demo page: `node demoPython.mjs SOURCES FOLDER` writes Pyodide, the used part of
 * its standard library, and the zip of sources. Pyodide itself compiles both, so that the page does
 * not. They are compressed as a whole, which is a third smaller than each module alone.
 */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const PYODIDE = fileURLToPath(new URL("node_modules/pyodide", import.meta.url));

/** Parts of the standard library that the page does not use, which is half of its bytes. */
const UNUSED = `_ast_unparse _pyio _pyrepl argparse asyncio/__main__ asyncio/proactor_events
  asyncio/tools asyncio/windows_events asyncio/windows_utils bdb cProfile cmd
  compileall concurrent/futures/process concurrent/interpreters configparser
  ctypes curses dbm doctest email ensurepip filecmp fileinput ftplib getpass
  gettext html/parser http idlelib imaplib importlib/metadata logging/config
  logging/handlers mailbox mimetypes modulefinder multiprocessing netrc optparse
  pdb pickletools plistlib poplib profile pstats pty pyclbr pydoc pydoc_data
  pyodide/console shelve smtplib socketserver sqlite3 statistics symtable
  sysconfig tabnanny tarfile timeit tkinter trace tracemalloc turtle unittest
  urllib/request urllib/response urllib/robotparser venv wave webbrowser wsgiref
  xml/dom xml/sax xmlrpc zipapp`;
const ENCODINGS =
  "encodings __init__ aliases ascii cp437 idna latin_1 utf_8 utf_8_sig utf_16 utf_16_be utf_16_le";

const COMPILE = `
import io, zipfile
from importlib._bootstrap_external import _code_to_timestamp_pyc
from types import CodeType

def without_lines(code):
    """The code without its places in the source, a fifth of its bytes."""
    inner = (without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    units = len(code.co_code) // 2
    # Entries without a place, each of at most eight code units.
    places = bytes([0xFF] * (units // 8) + ([0xF8 + units % 8 - 1] if units % 8 else []))
    return code.replace(co_linetable=places, co_consts=tuple(inner))

def compiled(data, unused, encodings):
    """Docstrings stay where they are the texts of rules and errors."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data.to_py())) as old, zipfile.ZipFile(packed, "w") as new:
        for name in sorted(old.namelist()):
            parts = name.removesuffix(".py").split("/")
            outer = {"/".join(parts[: n + 1]) for n in range(len(parts))}
            if name.endswith("/") or outer & unused:
                continue
            if encodings and parts[0] == "encodings" and parts[-1] not in encodings:
                continue
            content = old.read(name)
            if name.endswith(".py"):
                has_texts = b"rule(" in content or parts[-1] == "errors"
                optimize = 1 if has_texts else 2
                code = compile(content, name, "exec", dont_inherit=True, optimize=optimize)
                name, content = name + "c", bytes(_code_to_timestamp_pyc(without_lines(code)))
            new.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()
compiled
`;

const [sources, folder] = process.argv.slice(2);
const pyodide = await loadPyodide({ indexURL: PYODIDE });
const compile = pyodide.runPython(COMPILE);
const names = (text) => pyodide.globals.get("set")(text.split(/\s+/));

function write(name, source, ...how) {
  const packed = compile(new Uint8Array(readFileSync(source)), ...how).toJs();
  writeFileSync(join(folder, name), gzipSync(packed, { level: 9 }));
}

mkdirSync(folder, { recursive: true });
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
for (const name of ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"]) {
  cpSync(join(PYODIDE, name), join(folder, name));
  writeFileSync(
    join(folder, `${name}.br`),
    brotliCompressSync(readFileSync(join(PYODIDE, name)), quality),
  );
}
const { info } = JSON.parse(readFileSync(join(PYODIDE, "pyodide-lock.json"), "utf8"));
writeFileSync(join(folder, "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));
write("core.zip.gz", sources, names("-"), false);
write("stdlib.zip.gz", join(PYODIDE, "python_stdlib.zip"), names(UNUSED), names(ENCODINGS));
