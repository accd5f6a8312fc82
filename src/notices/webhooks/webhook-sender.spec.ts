import { connect } from 'node:net';

import { SystemClock } from '#kernel/clock';
import { PublishedKeys } from '#platform/config/published-keys';
import { SigningKeys } from '#platform/config/signing-keys';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { Dialer, HostResolver } from '#platform/http/outgoing/safe-fetch-network';
import { readSettings } from '../../settings';
import { WebhookSender } from './webhook-sender';

/** Gives the answers in turn, and repeats the last one. */
class FakeDns extends HostResolver {
  constructor(private readonly answers: string[][]) {
    super();
  }

  addressesOf(): Promise<readonly string[]> {
    return Promise.resolve((this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? []);
  }
}

/** No connection is opened; the addresses of all attempts are recorded. */
class DeadDialer extends Dialer {
  readonly dialled: (readonly string[])[] = [];

  dialOf(addresses: readonly string[]) {
    this.dialled.push(addresses);
    return { createConnection: () => connect(1, '127.0.0.1') };
  }
}

const PUBLIC = '93.184.216.34';
const settings = readSettings({ SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef' });
const MESSAGE = { id: 'evt_1', url: 'https://example.com/hook', body: '{}', secrets: [] };

const senderWith = (...answers: string[][]) => {
  const dialer = new DeadDialer();
  const calls = new SsrfGuard({ fetchAllowHosts: [] }, new FakeDns(answers), dialer);
  const keys = new PublishedKeys(new SigningKeys(settings));
  return { dialer, sender: new WebhookSender(calls, keys, new SystemClock()) };
};

describe('a message to a name', () => {
  it.each([
    ['a private address', ['10.0.0.1']],
    ['this machine', ['127.0.0.1']],
    ['a service of the cloud', ['169.254.169.254']],
    ['a public address and a private one', [PUBLIC, '192.168.0.1']],
    ['nothing', []],
  ])('is never sent where it means %s', async (_, addresses) => {
    const { sender, dialer } = senderWith(addresses);

    expect((await sender.send(MESSAGE)).attempt).toEqual({
      outcome: 'refused',
      error: 'its host has no public address',
    });
    expect(dialer.dialled).toEqual([]);
  });

  it('is looked up again at each try, and goes to what was found', async () => {
    const { sender, dialer } = senderWith([PUBLIC], ['10.0.0.1']);

    const [first, second] = [(await sender.send(MESSAGE)).attempt, (await sender.send(MESSAGE)).attempt];

    expect(first.error).toBe('its host did not answer, or broke off');
    expect(second.error).toBe('its host has no public address');
    expect(dialer.dialled).toEqual([[PUBLIC]]);
  });
});
