// Proves all entries of an account by the public log, with Node alone: `prove.mjs <address of the service> <file>`. The file
// keeps the last checkpoint, so a later run finds a log that has changed or lost entries. The key is in LAMPPOST_KEY.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [base, file] = process.argv.slice(2);
const get = async (path) => {
  const response = await fetch(base + path, { headers: { 'x-api-key': process.env.LAMPPOST_KEY } });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return response;
};
const check = (isGood, fault) => {
  if (!isGood) throw new Error(fault);
};

// RFC 6962: the hash of a leaf, of two subtrees, and of a whole tree.
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const leafHash = (entry) => sha256(Buffer.of(0), entry);
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);
const rootOf = (leaves) => {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
};
const rootByPath = (leaf, at, size, path) => {
  if (size === 1) return path.length === 0 ? leaf : undefined;
  const split = 2 ** (Math.ceil(Math.log2(size)) - 1);
  const [last, rest] = [path.at(-1), path.slice(0, -1)];
  if (last === undefined) return undefined;
  return at < split
    ? nodeHash(rootByPath(leaf, at, split, rest) ?? '', last)
    : nodeHash(last, rootByPath(leaf, at - split, size - split, rest) ?? '');
};

// C2SP signed-note and tlog-checkpoint: a name, a size and a root, then signatures.
const { logs } = await (await get('/transparency/logs')).json();
const { origin, address, verifierKeys } = logs.find(({ isCurrent }) => isCurrent);
const openCheckpoint = (note) => {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const signatures = note.slice(text.length + 1).split('\n');
  const [name, size, root] = text.split('\n');
  const isSigned = verifierKeys.some((verifierKey) => {
    const bytes = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64').subarray(1);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    });
    return signatures
      .filter((line) => line.startsWith(`— ${origin} `))
      .some((line) =>
        verify(null, Buffer.from(text), key, Buffer.from(line.split(' ')[2], 'base64').subarray(4)),
      );
  });
  check(name === origin && isSigned, 'The checkpoint is not signed by the log.');
  return { note, size: Number(size), root: Buffer.from(root, 'base64') };
};

// The account's entries: each is in the tree, names the one before it and continues its balance.
const SIGNS = { top_up: 1, refund: 1, debit: -1, charged: 0, released: 0, refunded: 0 };
const checkpoints = existsSync(file) ? [openCheckpoint(readFileSync(file, 'utf8'))] : [];
let [count, previous, balance, cursor] = [0, '', 0, ''];
do {
  const page = await (await get(`/v1/agent/statement${cursor && `?cursor=${cursor}`}`)).json();
  const tree = openCheckpoint(page.checkpoint);
  checkpoints.push(tree);
  for (const { entry, salt, leafIndex, path } of page.entries) {
    const sorted = JSON.stringify(
      Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    const leaf = leafHash(sha256(Buffer.from(salt, 'base64'), sorted));
    const hashes = path.map((hash) => Buffer.from(hash, 'base64'));
    const root = rootByPath(leaf, leafIndex, tree.size, hashes);
    check(root?.equals(tree.root), `The entry ${entry.id} is not in the log.`);
    check(entry.previous === previous, `Something is missing before the entry ${entry.id}.`);
    balance += SIGNS[entry.kind] * entry.amountMicro;
    check(entry.balanceMicro === balance, `The balance after the entry ${entry.id} does not add up.`);
    previous = leaf.toString('base64');
    count += 1;
  }
  cursor = page.nextCursor ?? '';
} while (cursor !== '');

// C2SP tlog-tiles: the hashes of all entries. Each checkpoint that was seen must be the root of a beginning of them.
const newest = openCheckpoint(await (await get(`${address}/checkpoint`)).text());
checkpoints.push(newest);
check(
  checkpoints.every(({ size }) => size <= newest.size),
  'The log has lost entries.',
);
const leaves = [];
for (let tile = 0; leaves.length < newest.size; tile += 1) {
  const width = Math.min(256, newest.size - leaves.length);
  const digits = String(tile).padStart(Math.ceil(String(tile).length / 3) * 3, '0');
  const name = digits.replace(/\d{3}(?=\d)/g, 'x$&/') + (width < 256 ? `.p/${width}` : '');
  const bytes = Buffer.from(await (await get(`${address}/tile/0/${name}`)).arrayBuffer());
  for (let at = 0; at < width; at += 1) leaves.push(bytes.subarray(at * 32, at * 32 + 32));
}
for (const checkpoint of checkpoints)
  check(
    rootOf(leaves.slice(0, checkpoint.size)).equals(checkpoint.root),
    `The log has changed since it had ${checkpoint.size} entries.`,
  );
writeFileSync(file, newest.note);
console.log(`${count} entries, ${balance} micro-USD: all are among the ${newest.size} of ${origin}`);
