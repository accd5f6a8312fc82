import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';

import {
  type Checkpoint,
  ProofFailed,
  bytesOfBase64,
  cosignatureLine,
  isConsistent,
  openCheckpoint,
  verifierOf,
  witnessKey,
} from '../proofs.ts';
import type { Command } from './command.ts';
import { Misused } from './options.ts';
import { note, say } from './output.ts';
import { readSeen, writeSeen } from './seen.ts';
import { stopped } from './stop.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

const BODY_BYTES_MAX = 64 * 1024;
const PROOF_LINES_MAX = 63;

/** The key of a witness, created at its first start. */
const keyIn = async (file: string): Promise<KeyObject> => {
  try {
    return createPrivateKey(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    await writeFile(file, pem, { mode: 0o600, flag: 'wx' });
    return privateKey;
  }
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

interface Request {
  readonly old: number;
  readonly proof: readonly Uint8Array[];
  readonly note: string;
}

const requestOf = (body: string): Request | undefined => {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, end).split('\n');
  const [, old] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  if (end < 0 || old === undefined || lines.length > PROOF_LINES_MAX) return undefined;
  if (!lines.every((line) => /^[A-Za-z0-9+/]{43}=$/.test(line))) return undefined;
  return { old: Number(old), proof: lines.map(bytesOfBase64), note: body.slice(end + 2) };
};

/**
 * A witness. It stores each checkpoint before it signs it, because its only purpose is to remember the checkpoints that
 * it signed.
 */
class Witness {
  /** Requests run one at a time, so that an older tree can't replace a newer one. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly key: KeyObject,
    private readonly verifier: string,
    private readonly file: string,
  ) {}

  get publicKey(): Uint8Array {
    return new Uint8Array(
      Buffer.from(String(createPublicKey(this.key).export({ format: 'jwk' }).x), 'base64url'),
    );
  }

  add(body: string): Promise<Answer> {
    const done = this.turn.then(() => this.addNext(body));
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async addNext(body: string): Promise<Answer> {
    const request = requestOf(body);
    if (request === undefined) return { status: 400, text: 'This is no add-checkpoint request.\n' };
    const verifier = await verifierOf(sha256, this.verifier);
    if (request.note.split('\n', 1)[0] !== verifier.name)
      return { status: 404, text: 'This log is not known.\n' };
    let checkpoint: Checkpoint;
    try {
      checkpoint = await openCheckpoint(request.note, [verifier]);
    } catch (error) {
      if (error instanceof ProofFailed) return { status: 403, text: `${error.message}\n` };
      throw error;
    }
    if (request.old > checkpoint.size)
      return { status: 400, text: 'The old size is above that of the checkpoint.\n' };
    const seen = await readSeen(this.file);
    const kept = seen[checkpoint.origin];
    const last = kept && (await openCheckpoint(kept.checkpoint, [verifier]));
    if (request.old !== (last?.size ?? 0)) return conflict(last?.size ?? 0);
    const before = { size: last?.size ?? 0, root: last?.root ?? new Uint8Array() };
    if (!(await isConsistent(sha256, before, checkpoint, request.proof)))
      return before.size === checkpoint.size
        ? conflict(before.size)
        : { status: 422, text: 'The trees are not consistent.\n' };
    const { origin, note: text } = checkpoint;
    await writeSeen(this.file, { ...seen, [origin]: { verifiers: [this.verifier], checkpoint: text } });
    const signer = {
      name: this.name,
      publicKey: this.publicKey,
      sign: (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, this.key)),
    };
    const line = await cosignatureLine(sha256, checkpoint.text, signer, Math.floor(Date.now() / 1_000));
    return { status: 200, text: line };
  }
}

const conflict = (size: number): Answer => ({ status: 409, text: `${size}\n`, type: 'text/x.tlog.size' });

export const witness: Command = {
  usage: ['FOLDER --name NAME --verifier VKEY [--port P]'],
  about: 'cosigns the checkpoints of a log that has only grown, for everybody who trusts you',
  more:
    'It speaks C2SP tlog-witness on 127.0.0.1; put a server with TLS in front. FOLDER keeps its key and the last checkpoint: both must\n' +
    'outlive it. It shows the line that the operator of the log puts into TRANSPARENCY_WITNESSES.',
  options: ['name', 'verifier', 'port'],
  examples: ['/var/lib/witness --name witness.example.com/w1 --verifier lamppost.example/transparency+…'],
  isAlone: true,
  run: async ({ words, options }) => {
    const [folder, ...rest] = words;
    const { name, verifier, port = '8450' } = options;
    if (folder === undefined || rest.length > 0 || name === undefined || verifier === undefined)
      throw new Misused('It is `witness FOLDER --name NAME --verifier VKEY`.');
    if (!/^[^\s+]+$/.test(name)) throw new Misused('The name has neither spaces nor a plus.');
    if (!/^\d{1,5}$/.test(port)) throw new Misused('--port must be a number.');
    await verifierOf(sha256, verifier);
    const own = new Witness(
      name,
      await keyIn(`${folder}/witness-key.pem`),
      verifier,
      `${folder}/checkpoints.json`,
    );
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX) request.destroy();
        else chunks.push(chunk);
      });
      request.on('end', () => {
        const isAdd = request.method === 'POST' && request.url?.endsWith('/add-checkpoint') === true;
        const answered: Promise<Answer> = isAdd
          ? own.add(Buffer.concat(chunks).toString())
          : Promise.resolve({ status: 404, text: 'There is only POST /add-checkpoint.\n' });
        answered
          .catch((error: unknown) => {
            note(`${(error as Error).message}\n`);
            return { status: 500, text: 'The witness has failed.\n', type: undefined };
          })
          .then(
            ({ status, text, type = 'text/plain; charset=utf-8' }) => {
              response.writeHead(status, { 'content-type': type }).end(text);
            },
            () => undefined,
          );
      });
      request.on('error', () => undefined);
    });
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(Number(port), '127.0.0.1', resolve),
    );
    const at = server.address() as { port: number };
    say(`http://127.0.0.1:${at.port} ${await witnessKey(sha256, name, own.publicKey)}\n`);
    await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
    server.close();
    server.closeAllConnections();
    return { json: {}, text: '', isWritten: true };
  },
};
