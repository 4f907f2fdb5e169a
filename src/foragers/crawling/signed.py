"""Files signed with a key of the user.

A checkpoint is a pickle, and a pickle can run any code when it is loaded.  So it is signed
with a secret key of this user, and no byte reaches the unpickler before its signature was
checked.  A folder that another user made, or changed, has no such signature.

    MAGIC  nonce  (length  signature  piece)*  (0  signature)

Each piece is signed together with the nonce of its file and its number, so that pieces
cannot be changed, moved or taken from another file.  A piece is read once, checked in
memory and then used, so the file cannot be replaced in between.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAGIC = b"foragers signed 1\n"
NONCE, SIGNATURE, LENGTH, KEY = 16, 32, 4, 32
PIECE = 1 << 20


def user_key() -> bytes | None:
    """Return the secret key of this user, which is made if there is none; None if that fails."""
    try:
        file = state_folder() / "checkpoint.key"
        return read_key(file) or make_key(file)
    except (OSError, RuntimeError):  # a home that cannot be written, or is not known
        return None


def state_folder() -> Path:
    """Return the folder for state of this user on this machine (XDG base directories)."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = named if named.is_absolute() else Path.home() / ".local" / "state"
    return base / "foragers"


def read_key(file: Path) -> bytes | None:
    """Return the key in a file, None if others could have read it."""
    try:
        with opened(file) as stream:
            status = os.fstat(stream.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077 or status.st_size != KEY:
                return None
            key = stream.read(KEY)
            return key if len(key) == KEY else None
    except (OSError, ValueError):
        return None


def make_key(file: Path) -> bytes | None:
    """Write a new key and return it, or the key of another crawl that was faster."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent)  # readable by this user only
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(KEY))
            stream.flush()
            os.fsync(descriptor)
        if file.is_symlink() or (file.exists() and read_key(file) is None):
            file.unlink()
        with suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()
    return read_key(file)


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """Open a regular file; raise a ValueError for anything else, such as a link."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(file, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError(f"{file} is not a regular file")
        yield stream


@contextmanager
def signing(stream: BinaryIO, key: bytes) -> Iterator[BinaryIO]:
    """Yield a stream that signs what is written to it, and writes it to another."""
    with BufferedWriter(Signing(stream, key), PIECE) as pieces:
        yield pieces


@contextmanager
def checking(stream: BinaryIO, key: bytes) -> Iterator[BinaryIO]:
    """Yield a stream of the signed content; reading unsigned content raises a ValueError."""
    with BufferedReader(Checking(stream, key), PIECE) as pieces:
        yield pieces


class Signing(RawIOBase):
    """Writes signed pieces to a stream."""

    def __init__(self, stream: BinaryIO, key: bytes) -> None:
        self._stream = stream
        self._pieces = Pieces(key, secrets.token_bytes(NONCE))
        stream.write(MAGIC + self._pieces.nonce)

    def writable(self) -> bool:
        """Return True: it can be written to."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Write data as pieces."""
        rest = memoryview(data).cast("B")
        for start in range(0, len(rest), PIECE):
            self._write_piece(rest[start : start + PIECE])
        return len(rest)

    def close(self) -> None:
        """Write the empty piece that ends the file."""
        if not self.closed:
            self._write_piece(memoryview(b""))
        super().close()

    def _write_piece(self, piece: memoryview) -> None:
        self._stream.write(len(piece).to_bytes(LENGTH, "big"))
        self._stream.write(self._pieces.signature(piece))
        self._stream.write(piece)


class Checking(RawIOBase):
    """Reads the pieces of a stream, and checks their signatures."""

    def __init__(self, stream: BinaryIO, key: bytes) -> None:
        self._stream = stream
        if stream.read(len(MAGIC)) != MAGIC:
            raise ValueError("it is not signed")
        self._pieces = Pieces(key, self._exactly(NONCE))
        self._piece = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        """Return True: it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read checked content."""
        if not self._piece and not self._ended:
            self._piece = self._next_piece()
            self._ended = not self._piece
        room = memoryview(buffer).cast("B")
        part = self._piece[: len(room)]
        room[: len(part)] = part
        self._piece = self._piece[len(part) :]
        return len(part)

    def _next_piece(self) -> memoryview:
        length = int.from_bytes(self._exactly(LENGTH), "big")
        if length > PIECE:
            raise ValueError("a piece is too long")
        signature = self._exactly(SIGNATURE)
        piece = memoryview(self._exactly(length))
        if not hmac.compare_digest(signature, self._pieces.signature(piece)):
            raise ValueError("it is signed by somebody else, or was changed")
        return piece

    def _exactly(self, length: int) -> bytes:
        data = self._stream.read(length)
        if len(data) != length:
            raise ValueError("it is cut off")
        return data


class Pieces:
    """Numbers the pieces of one file and computes their signatures."""

    def __init__(self, key: bytes, nonce: bytes) -> None:
        self.nonce = nonce
        self._key = key
        self._number = 0

    def signature(self, piece: memoryview) -> bytes:
        """Return the signature of the next piece."""
        header = MAGIC + self.nonce + self._number.to_bytes(8, "big")
        self._number += 1
        mac = hmac.new(self._key, header, "sha256")
        mac.update(piece)
        return mac.digest()
