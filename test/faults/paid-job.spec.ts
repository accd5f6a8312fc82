import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import type { Answer } from '../support/world';
import { Deployment } from './deployment';
import { type Hands, MOMENTS, stopAt } from './moments';
import { type Goods, type PayingClient, onEveryRail } from './paying-client';

const { SUBMITTING } = MOMENTS;
const IMAGE: Goods = { url: '/v1/agent/generate', body: { prompt: 'a red fox' }, price: 30_770n };

jest.setTimeout(120_000);

/** A job on each rail at once, stopped while the provider takes it. */
describe('a paid job whose submission nobody knows the end of', () => {
  let deployment: Deployment;
  let clients: PayingClient[];
  let first: Promise<(Answer | undefined)[]>;
  let hands: Hands;

  /** The job is looked up first, and its charge at the end of a lease after that. */
  const untilAllEndAs = (state: string): Promise<void> =>
    expectEventually(async () => {
      await deployment.endLeases();
      const all = await Promise.all(clients.map((client) => client.states()));
      return all.every((states) => states.join(' ') === state);
    });
  const operations = async (): Promise<number> =>
    (await deployment.db.rows('select from sandbox_operation')).length;

  beforeAll(async () => {
    deployment = await Deployment.start(await cloneDatabase());
  });

  beforeEach(async () => {
    clients = await onEveryRail(deployment, IMAGE);
    hands = await stopAt(deployment.databaseUrl, SUBMITTING, () => {
      first = Promise.all(clients.map((client) => client.send(0)));
    });
  });

  afterEach(async () => {
    await hands.close();
    await deployment.expectPeace();
  });

  afterAll(() => deployment.stop());

  const expectAllPaidOnce = async (): Promise<Answer[]> => {
    const answers = await Promise.all(clients.map((client) => client.sendUntilAnswered(1)));
    for (const client of clients) await client.expectPaidOnce();
    return answers;
  };

  it('is charged when the process dies and the provider has taken the job', async () => {
    await deployment.kill(0);
    await hands.letGo();
    await hands.untilNobodyWaits(SUBMITTING);
    await first;

    await untilAllEndAs('charged');
    const before = await operations();

    await Promise.all(clients.map((client) => client.send(1)));
    expect(await operations()).toBe(before);
  });

  it('is given back when the process dies and the provider has not', async () => {
    await deployment.kill(0);
    await hands.cutOff(SUBMITTING);
    await hands.letGo();
    await first;

    await untilAllEndAs('released');
    await expectAllPaidOnce();
  });

  it('is neither given back nor asked for again while the provider does not answer', async () => {
    const before = await operations();

    const answers = await first;
    const meanwhile = await Promise.all(clients.map((client) => client.states()));
    await hands.letGo();

    expect(answers.map((answer) => answer?.status)).toEqual([503, 503, 503]);
    expect(meanwhile).toEqual([['held'], ['held'], ['held']]);
    await untilAllEndAs('released');
    expect(await operations()).toBe(before);
    await expectAllPaidOnce();
  });
});
