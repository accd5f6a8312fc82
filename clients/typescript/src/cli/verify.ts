import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { textOnChain } from '../chain.ts';
import { Lamppost, type Receipt } from '../lamppost.ts';
import { Proofs, type Proven } from '../proofs.ts';
import type { Call, Command, Said } from './command.ts';
import { Misused } from './options.ts';
import { note, usd } from './output.ts';
import { readSeen, stateFile, writeSeen } from './seen.ts';
import { asAddress, clientFor } from './who-pays.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

/** The checkpoints in transactions of this network. The service names the transactions, and the node proves them. */
const anchored = async (baseUrl: string, rpc: string): Promise<string[]> => {
  const response = await fetch(new URL('/transparency/anchors', baseUrl), { redirect: 'error' });
  const { anchors } = (await response.json()) as { anchors: { network: string; transaction: string }[] };
  const notes: string[] = [];
  for (const anchor of anchors) {
    const text = await textOnChain(anchor, rpc, fetch);
    if (text !== undefined) notes.push(text);
  }
  return notes;
};

const PROGRESS_EVERY = 100_000;

/** Loads a receipt by its id, or reads it from a file, which another person may have saved. */
const receiptOf = async ({ client }: Call, word: string): Promise<Receipt> => {
  if (!word.endsWith('.json')) return client.receipts.get(word);
  return JSON.parse(await readFile(word, 'utf8')) as Receipt;
};

export const verify: Command = {
  usage: ['receipt CHARGE', 'receipt FILE.json', 'statement [--from T] [--to T]', 'log [URL]'],
  about: "verifies the service's statements about your money, without trusting it",
  more:
    'It checks that entries are in the public log of the service, that none of yours is missing, and that the log has only\n' +
    'grown since you last looked. With --rpc it reads the checkpoints on the chain from your node as well. With --witness the newest\n' +
    'checkpoint must be cosigned by that witness. Checkpoints and your newest entries are remembered in ~/.local/state/lamppost, or in the\n' +
    'file of --state.\n' +
    'It ends with 1 when something does not fit.',
  options: ['from', 'to', 'verifier', 'witness', 'state', 'rpc'],
  words: ['receipt', 'statement', 'log'],
  examples: ['receipt ch_…', 'statement --from 2026-01-01T00:00:00Z', 'log https://lamppost.example'],
  isAlone: true,
  run: async (call: Call): Promise<Said> => {
    const [what, word, ...rest] = call.words;
    const { from, to, verifier, witness: witnesses = [], state, rpc } = call.options;
    if (rest.length > 0)
      throw new Misused('It is `verify receipt CHARGE`, `verify statement` or `verify log URL`.');
    const file = stateFile(state);
    const remembered = await readSeen(file);
    const baseUrl = what === 'log' && word !== undefined ? asAddress(word) : call.baseUrl;
    const client = what === 'log' ? new Lamppost({ baseUrl }) : await clientFor(call.options, false);
    const proofs = new Proofs(client);
    // Checkpoints of another service prove nothing about this service.
    const { host } = new URL(baseUrl);
    const own = Object.entries(remembered).filter(([name]) => name.startsWith(`${host} `));
    const pinned = own.flatMap(([, { verifiers }]) => verifiers);
    const verifiers = verifier === undefined ? (pinned.length > 0 ? pinned : undefined) : [verifier];
    const onChain = rpc === undefined ? [] : await anchored(baseUrl, rpc);
    const seen = [...own.map(([, { checkpoint }]) => checkpoint), ...onChain];
    const known = own.flatMap(([, { known: entries = [] }]) => entries);
    const trust = { sha256, seen, known, witnesses, ...(verifiers !== undefined && { verifiers }) };
    let said: Said;
    let proven: Proven;
    if (what === 'receipt' && word !== undefined) {
      const receipt = await receiptOf({ ...call, client }, word);
      proven = await proofs.verifyReceipt(receipt, trust);
      const { id, priceMicro, state: became } = receipt;
      said = {
        json: { receipt: id, ...proven },
        text: `${id}  ${became}  ${usd(priceMicro)}  is in the log`,
      };
    } else if (what === 'statement' && word === undefined) {
      const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const statement = await proofs.verifyStatement(period, trust);
      proven = statement;
      const { entries, openingBalanceMicro, closingBalanceMicro } = statement;
      said = {
        json: statement,
        text: `${entries.length} entries, from ${usd(openingBalanceMicro)} to ${usd(closingBalanceMicro)}: all are in the log, and none is missing`,
      };
    } else if (what === 'log') {
      let reported = 0;
      proven = await proofs.verifyLog(trust, (size) => {
        if (size - reported < PROGRESS_EVERY) return;
        reported = size;
        note(`${size} entries\n`);
      });
      said = { json: proven, text: `${proven.origin}: ${proven.size} entries make the tree that was signed` };
    } else throw new Misused('It is `verify receipt CHARGE`, `verify statement` or `verify log URL`.');
    const { origin, checkpoint } = proven;
    // The file need not keep earlier logs of this service, because the proven log follows them.
    const others = Object.entries(remembered).filter((one) => !own.includes(one));
    const newest = { verifiers: proven.verifiers, checkpoint, known: proven.known };
    await writeSeen(file, { ...Object.fromEntries(others), [`${host} ${origin}`]: newest });
    const older =
      proven.follows === undefined
        ? ''
        : `\nThe log follows ${proven.follows}: the database of the service was restored.`;
    const fits =
      (own.length > 0 ? ', and fits what you have seen before' : '') +
      (witnesses.length > 0 ? `, and is cosigned by ${witnesses.length} of your witnesses` : '') +
      (rpc === undefined ? '' : `, and fits ${onChain.length} checkpoints on the chain`);
    return { ...said, text: `${said.text}${fits}.${older}` };
  },
};
