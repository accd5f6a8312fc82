import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import { Proofs } from '../../clients/typescript/src/proofs';
import { Lamppost } from '../../clients/typescript/src/lamppost';
import { PublishedKeys } from '../../src/platform/config/published-keys';
import { Facilitators } from '../../src/money/billing/rails/x402/facilitators/facilitators';
import { AnchorProcessor } from '../../src/money/billing/transparency/anchor.processor';
import { LOG_KEYS } from '../../src/money/billing/transparency/log-origin';
import { TransparencyProcessor } from '../../src/money/billing/transparency/transparency.processor';
import { micro } from '../../src/kernel/money';
import { verifierKey } from '../../src/platform/signatures/signed-note';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { CHAT_URL } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { runCommand } from '../support/code-blocks';
import { World } from '../support/world';
import { PackedProject } from './packed-project';

const ORIGIN = '127.0.0.1:3999/transparency';
/** A key without a witness. */
const GONE = verifierKey('witness.example/w2', Buffer.alloc(32, 7), 4);
const folder = (): string => mkdtempSync(join(tmpdir(), 'transparency-'));

/** The installed command, and a listening service. */
describe('witnesses and the command that verifies', () => {
  const started: ChildProcess[] = [];
  let chain: LocalChain;
  let project: PackedProject;
  let world: World;
  let caller: KeyCaller;
  let witness: { readonly url: string; readonly key: string };
  let env: Readonly<Record<string, string>>;

  const seal = (): Promise<void> => world.app.get(TransparencyProcessor, { strict: false }).run();
  const chat = async (): Promise<string> => {
    const body = { messages: [{ role: 'user', content: Math.random().toString() }], max_tokens: 16 };
    return (await world.post(CHAT_URL, body, { 'x-api-key': caller.key })).headers['x-charge-id']!;
  };
  const command = (): string => join(project.folder, 'node_modules', 'lamppost', 'dist', 'esm', 'cli.js');
  const run = (...words: string[]) =>
    runCommand(process.execPath, [command(), ...words], project.folder, env);
  const startWitness = async (at: string, verifier: string): Promise<{ url: string; key: string }> => {
    const words = ['witness', at, '--name', 'witness.example/w1', '--verifier', verifier, '--port', '0'];
    const child = spawn(process.execPath, [command(), ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text) => resolve(String(text))),
    );
    const [url = '', key = ''] = line.trim().split(' ');
    return { url, key };
  };

  beforeAll(async () => {
    chain = await startLocalChain();
    project = PackedProject.make();
    // The key of the log depends only on the secret, so the witness can have it before the service starts.
    const probe = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
    const [own] = probe.app.get(PublishedKeys, { strict: false }).of(LOG_KEYS);
    await probe.stop();
    witness = await startWitness(folder(), verifierKey(ORIGIN, own.publicBytes));
    world = await World.start({
      DATA_DIR: folder(),
      ROLE: 'api',
      X402_FACILITATOR: 'local',
      X402_PAY_TO: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
      X402_NATIVE_USD: '3000',
      TRANSPARENCY_ANCHOR_MICRO: '1000000',
      // The second witness is unavailable, and delays nothing.
      TRANSPARENCY_WITNESSES: `${witness.url} ${witness.key}, http://127.0.0.1:1 ${GONE}`,
    });
    caller = await KeyCaller.register(world, 1_000_000n);
    env = { LAMPPOST_URL: await world.listen(), LAMPPOST_KEY: caller.key, HOME: folder() };
  });
  afterAll(async () => {
    for (const child of started) child.kill();
    await world.stop();
    await chain.stop();
  });

  it('cosign each checkpoint that continues the last one', async () => {
    const proofs = new Proofs(new Lamppost({ baseUrl: env['LAMPPOST_URL']!, key: caller.key }));
    const { body: logs } = await world.get('/transparency/logs');
    for (let round = 0; round < 3; round += 1) {
      await chat();
      await seal();
      const { body } = await world.get('/transparency/logs');
      const verifiers = [...(body.logs[0]?.verifierKeys ?? logs.logs[0].verifierKeys), witness.key];

      const { signers, size } = await proofs.verifyLog({ verifiers });

      expect([size, signers.toSorted()]).toEqual([1 + 2 * (round + 1), [ORIGIN, 'witness.example/w1']]);
    }
  });

  it('refuse a checkpoint that does not continue the last one, and say which they have', async () => {
    const { body: note } = await world.get('/transparency/checkpoint');
    const send = async (body: string) => {
      const answer = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    const bare = String(note)
      .split('\n')
      .filter((line) => !line.includes('witness.example'))
      .join('\n');

    expect(await send(`old 0\n\n${bare}`)).toEqual([409, 'text/x.tlog.size', '7\n']);
    expect((await send(`old 7\n\n${bare}`))[0]).toBe(200);
    expect((await send(`old 7\n${'A'.repeat(43)}=\n\n${bare}`))[0]).toBe(409);
    expect((await send(`old 8\n\n${bare}`))[0]).toBe(400);
    expect((await send(`old 7\n\n${bare.replace(ORIGIN, 'else.example')}`))[0]).toBe(404);
    expect((await send(`old 7\n\n${bare.replace('\n7\n', '\n9\n')}`))[0]).toBe(403);
    expect((await send('nonsense'))[0]).toBe(400);
  });

  it('verifies receipts, statements and the log, and remembers what it saw', async () => {
    const id = await chat();
    await seal();

    const receipt = await run('verify', 'receipt', id);
    const statement = await run('verify', 'statement', '--json');
    const log = await run('verify', 'log');

    expect(await run('verify', 'log', '--witness', witness.key)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('and is cosigned by 1 of your witnesses') as string,
    });
    const { exitCode, errors } = await run('verify', 'log', '--witness', witness.key, '--witness', GONE);
    expect([exitCode, errors]).toEqual([
      1,
      expect.stringContaining('The witness witness.example/w2 has not cosigned'),
    ]);
    expect(receipt).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`${id}  charged`) as string,
    });
    expect(JSON.parse(statement.output)).toMatchObject({ origin: ORIGIN, size: 9, openingBalanceMicro: 0 });
    expect(log).toMatchObject({
      exitCode: 0,
      output: `${ORIGIN}: 9 entries make the tree that was signed, and fits what you have seen before.\n`,
    });
  });

  it('writes one checkpoint a day on the chain, and the command compares the log with it', async () => {
    const anchors = world.app.get(AnchorProcessor, { strict: false });
    const { notary } = world.app.get(Facilitators, { strict: false }).on('eip155:8453');
    expect(await notary!.write('a text', micro(1n))).toEqual({ outcome: 'too-expensive' });
    expect((await world.get('/transparency/anchors')).body).toEqual({ anchors: [] });

    await anchors.run();
    await chat();
    await seal();
    await anchors.run();

    const { body } = await world.get('/transparency/anchors');
    expect(body.anchors).toMatchObject([
      { origin: ORIGIN, size: 9, transaction: expect.stringMatching(/^0x/) as string },
    ]);
    expect(await run('verify', 'log', '--rpc', chain.rpcUrl)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('and fits 1 checkpoints on the chain') as string,
    });
  });

  it('ends with 1 where the chain has another checkpoint than the log', async () => {
    const { notary } = world.app.get(Facilitators, { strict: false }).on('eip155:8453');
    const row = await world.db.one<{ note: string }>('select note from transparency_anchor', []);
    const forged = await notary!.write(row!.note.replace('\n9\n', '\n8\n'), micro(1_000_000n));
    const { transaction } = forged as { transaction: string };
    await world.db.rows('update transparency_anchor set transaction = $1', [transaction]);

    expect((await run('verify', 'log', '--rpc', chain.rpcUrl)).exitCode).toBe(1);

    await world.db.rows('update transparency_anchor set transaction = $1', [`0x${'12'.repeat(32)}`]);
    const { exitCode, errors } = await run('verify', 'log', '--rpc', chain.rpcUrl);
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('The chain has no transaction')]);
    await world.db.rows('delete from transparency_anchor', []);
  });

  it('finds the origin of a file, and sends the picture only on request', async () => {
    const { body } = await world.post(
      '/v1/agent/generate',
      { modelId: 'ember-image', prompt: 'a fox' },
      { 'x-api-key': caller.key },
    );
    const made = (await world.app.inject({ url: new URL(body.url).pathname })).rawPayload;
    writeFileSync(join(project.folder, 'made.png'), made);
    writeFileSync(join(project.folder, 'copy.jpg'), await sharp(made).resize(200).jpeg().toBuffer());

    expect(await run('provenance', 'made.png')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^exact: ember-image, /) as string,
    });
    expect(await run('provenance', 'copy.jpg')).toMatchObject({ exitCode: 1, output: 'Not found.\n' });
    expect(await run('provenance', 'copy.jpg', '--upload')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^similar: ember-image, /) as string,
    });
  });

  it('ends with 1 and says why where a row was changed', async () => {
    const id = await chat();
    await seal();
    await world.db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      await queries.rows('update charge set price_micro = price_micro - 1 where id = $1', [id]);
    });

    const { exitCode, errors } = await run('verify', 'statement');

    expect([exitCode, errors]).toEqual([
      1,
      expect.stringContaining(`The entry ${id}.charged is not in the log`),
    ]);
    expect((await run('verify', 'nothing')).exitCode).toBe(2);
  });
});
