import { setTimeout as pause } from 'node:timers/promises';

import { Deployment } from '../faults/deployment';
import { expectEventually } from '../support/eventually';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { carryOutOn } from '../support/carry-out';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeBedrock } from '../support/fake-bedrock';
import { FakeBfl } from '../support/fake-bfl';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeEmbedder } from '../support/fake-embedder';
import { startFakeFacilitator } from '../support/fake-facilitator';
import { FakeFal } from '../support/fake-fal';
import { FakeGemini } from '../support/fake-gemini';
import { FakeOpenai } from '../support/fake-openai';
import { FakeReplicate } from '../support/fake-replicate';
import { FakeRunway } from '../support/fake-runway';
import { FakeS3 } from '../support/fake-s3';
import { FakeStripe } from '../support/fake-stripe';
import { FakeVertex } from '../support/fake-vertex';
import { FakeXai } from '../support/fake-xai';
import { MailServer } from '../support/mail-server';
import { refusedOrigin } from '../support/closed-port';
import { cloneDatabase } from '../support/postgres';
import { dependencies, forgotten } from './dependencies';
import { Receiver } from '../webhooks/receiver';
import { Gate, WAYS_PLAYED } from './gate';
import { Customer, SCREENED, SHARED, type Said, expectAway, expectDecentAnswers, mailOf } from './world';

type Env = Readonly<Record<string, string>>;

const LINES_A_MINUTE_MAX = 200;
const GROWTH_BYTES_MAX = 150 * 1024 * 1024;
/** The shortened timers fire several times in this time; the longest of them lasts two seconds. */
const IDLE_MS = 2_500;

const residentOf = (metrics: string): number =>
  Number(/lamppost_memory_bytes\{kind="resident"\} (\d+)/.exec(metrics)?.[1]);

it('every setting of an address belongs to a dependency here', () => {
  expect(forgotten()).toEqual([]);
});

/** Each outage takes many rounds of calls, and the machine may run other suites. */
jest.setTimeout(400_000);

describe('a world whose servers come and go', () => {
  const gates = new Map<string, Gate>();
  const fakes: { stop(): Promise<void> }[] = [];
  let deployment: Deployment;
  let customer: Customer;
  let chain: LocalChain;
  const receiver = new Receiver();
  const mails = new MailServer(false);
  let pids: readonly number[];
  let calmMs = 2_000; // A guess, until a round without an outage is measured.

  const all = (manner: Parameters<Gate['be']>[0]): Promise<unknown> =>
    Promise.all([...gates.values()].map((gate) => gate.be(manner)));

  beforeAll(async () => {
    const [openai, anthropic, gemini, mistral, xai, bedrock, vertex, bfl, runway] = await Promise.all([
      FakeOpenai.start(),
      FakeAnthropic.start(),
      FakeGemini.start(),
      FakeChatCompletions.start('mistral'),
      FakeXai.start(),
      FakeBedrock.start(),
      FakeVertex.start(),
      FakeBfl.start(),
      FakeRunway.start(),
    ]);
    const [fal, replicate, embedder, s3, stripe] = await Promise.all([
      FakeFal.start(),
      FakeReplicate.start(),
      FakeEmbedder.start(),
      FakeS3.start(),
      new FakeStripe().start(),
    ]);
    chain = await startLocalChain();
    const facilitator = await startFakeFacilitator((payment) =>
      carryOutOn(chain, deployment.asWorld().settings.x402, payment),
    );
    await receiver.start();
    await mails.start();
    fakes.push(
      openai,
      anthropic,
      gemini,
      mistral,
      xai,
      bedrock,
      vertex,
      bfl,
      runway,
      fal,
      replicate,
      embedder,
      s3,
      stripe,
      facilitator,
      chain,
      receiver,
      mails,
    );
    fal.words = ['completed'];
    replicate.words = ['succeeded'];
    gemini.words = ['done'];
    bfl.words = ['ready'];
    runway.words = ['succeeded'];
    xai.words = ['done'];
    const behind: Readonly<Record<string, { readonly origin: string; readonly env: Env } | undefined>> = {
      openai: { origin: openai.origin, env: openai.env },
      'unkind-server': { origin: openai.origin, env: { UNKIND_SERVER_API_KEY: openai.key } },
      anthropic: { origin: anthropic.origin, env: anthropic.env },
      gemini: { origin: gemini.origin, env: gemini.env },
      mistral: { origin: mistral.origin, env: { MISTRAL_API_KEY: mistral.key } },
      xai: { origin: xai.origin, env: xai.env },
      bedrock: { origin: bedrock.origin, env: bedrock.env },
      vertex: { origin: vertex.origin, env: vertex.env },
      bfl: { origin: bfl.origin, env: bfl.env },
      runway: { origin: runway.origin, env: runway.env },
      fal: { origin: fal.origin, env: fal.env },
      replicate: { origin: replicate.origin, env: replicate.env },
      embedder: { origin: embedder.origin, env: embedder.env },
      S3: { origin: s3.endpoint, env: {} },
      facilitator: { origin: new URL(facilitator.url).origin, env: facilitator.settings },
      RPC: { origin: chain.rpcUrl, env: {} },
      Stripe: { origin: stripe.origin, env: stripe.env },
      SMTP: { origin: `http://${new URL(mails.env['SMTP_URL']!).host}`, env: mails.env },
    };
    const envs: Env[] = [];
    for (const { name, protocol = 'http', env } of dependencies) {
      const known = behind[name];
      const gate = await Gate.to(known?.origin);
      gates.set(name, gate);
      const own = Object.entries(known?.env ?? {}).map(
        ([setting, value]) => [setting, value.replace(new URL(known!.origin).host, gate.host)] as const,
      );
      envs.push({ ...env(`${protocol}://${gate.host}`), ...Object.fromEntries(own) });
    }
    // The service follows an address in an answer only if its host is the vendor's own.
    bfl.pollingAt = `http://${gates.get('bfl')!.host}`;
    const env = Object.assign({}, SHARED, ...envs) as Env;
    // A second process calls a moderation service before each call. In the first process, its outage would stop the
    // calls to all other vendors.
    deployment = await Deployment.start(await cloneDatabase(), [env, { ...env, ...SCREENED }]);
    customer = await Customer.of(deployment, (wallet) => chain.usdc.mint(wallet, 1_000_000n));
    // A webhook's receiver is a dependency that a caller brings along.
    const hook = await Gate.to(receiver.origin);
    gates.set('receiver', hook);
    await customer.register(0, `http://${hook.host}/hook`);
    pids = await pidsOf();
  });

  const pidsOf = (): Promise<readonly number[]> => Promise.all([0, 1].map((place) => deployment.pid(place)));

  afterAll(async () => {
    await deployment.stop();
    await Promise.all([...gates.values()].map((gate) => gate.stop()));
    await Promise.all(fakes.map((fake) => fake.stop()));
  });

  const everything = async (): Promise<readonly Said[]> =>
    (await Promise.all([customer.everything(0), customer.screened(1)])).flat();

  const failed = (answers: readonly Said[]): readonly string[] =>
    answers
      .filter(({ status }) => status >= 400)
      .map(({ call, status, ms, body }) => `${call}: ${status} after ${ms} ms ${body.slice(0, 60)}`);

  /**
   * A caller that repeats its calls every second and a half is served within five seconds. A busy machine gets more
   * time, in proportion to rounds without an outage.
   */
  const expectService = async (): Promise<void> => {
    const rounds: Promise<readonly string[]>[] = [];
    let left: readonly string[] | undefined;
    for (const until = Date.now() + 5_000 + 4 * calmMs; left?.length !== 0 && Date.now() < until;) {
      rounds.push(everything().then(failed));
      left = await Promise.race([rounds.at(-1)!, pause(1_500, undefined)]);
    }
    const outcomes = await Promise.all(rounds);
    if (outcomes.some(({ length }) => length === 0)) return;
    const logs = await Promise.all([0, 1].map((place) => deployment.linesOf(place)));
    const warned = logs.map((lines) => lines.filter((line) => /"level":[4-6]0/.test(line)).slice(-8));
    expect({ failed: outcomes.at(-1), warned }).toEqual({ failed: [], warned: [] });
  };

  const expectPeace = async (): Promise<void> => {
    await deployment.endDeadlines();
    await deployment.endLeases();
    await deployment.expectPeace();
  };

  it('starts while all of them are away, and serves once they are there', async () => {
    expectDecentAnswers(await everything());

    await all('open');

    await expectService();
    await expectPeace();
    expect(await pidsOf()).toEqual(pids);
  });

  it.each(WAYS_PLAYED)('outlives %s, idle and under paid load', async (way) => {
    await all('open');
    await expectService();
    const calm = Date.now();
    await everything();
    calmMs = Date.now() - calm;
    const before = residentOf(await deployment.metrics(0));
    const began = Date.now();
    const lines = await deployment.linesOf(0);

    await all(way);
    await customer.isDueAMail(way);
    await pause(IDLE_MS);
    const answers = (await Promise.all([everything(), everything()])).flat();
    await all('open');

    expectDecentAnswers(answers);
    if (way !== 'flapping each second') expectAway(answers);
    await expectService();
    await expectPeace();
    await expectEventually(() => receiver.received.some(({ at }) => at > began));
    await expectEventually(async () => {
      await customer.endPausesOfMails();
      return mails.delivered.some(({ raw }) => raw.includes(mailOf(way)));
    });
    expect(await pidsOf()).toEqual(pids);
    const said = (await deployment.linesOf(0)).slice(lines.length);
    const minutes = Math.max(1, (Date.now() - began) / 60_000);
    expect(said.length).toBeLessThan(LINES_A_MINUTE_MAX * minutes);
    expect(residentOf(await deployment.metrics(0)) - before).toBeLessThan(GROWTH_BYTES_MAX);
  });
});

describe('a world that was never there', () => {
  let deployment: Deployment;
  let customer: Customer;
  let plain: Gate;
  const PLACES = ['a name that does not exist', 'a server that speaks no TLS', 'a closed port with TLS'];

  beforeAll(async () => {
    plain = await Gate.to();
    await plain.be('open');
    const refused = await refusedOrigin('https');
    const origins = [
      (protocol: string) => `${protocol}://unkind.invalid`,
      (protocol: string) => `${protocol === 'smtp' ? 'smtps' : 'https'}://${plain.host}`,
      (protocol: string) => (protocol === 'smtp' ? refused.replace('https', 'smtps') : refused),
    ];
    deployment = await Deployment.start(
      await cloneDatabase(),
      origins.map(
        (origin) =>
          Object.assign(
            {},
            SHARED,
            ...dependencies.map(({ protocol = 'http', env }) => env(origin(protocol))),
          ) as Env,
      ),
    );
    customer = await Customer.of(deployment);
  });

  afterAll(async () => {
    await deployment.stop();
    await plain.stop();
  });

  it.each(PLACES)('behind %s ends no process, idle and under paid load', async (name) => {
    const place = PLACES.indexOf(name);
    const pid = await deployment.pid(place);
    const began = Date.now();

    await pause(IDLE_MS);
    const answers = (await Promise.all([customer.everything(place), customer.everything(place)])).flat();

    expectDecentAnswers(answers);
    expectAway(answers);
    await deployment.endDeadlines();
    await deployment.endLeases();
    await deployment.expectPeace();
    expect(await deployment.pid(place)).toBe(pid);
    expect((await deployment.linesOf(place)).length).toBeLessThan(
      LINES_A_MINUTE_MAX * Math.max(1, (Date.now() - began) / 60_000),
    );
    await expectEventually(
      async () => (await fetch(`${await deployment.url(place)}/health/ready`)).status === 200,
    );
  });
});
