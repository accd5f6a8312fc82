import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm';

import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

const REQUESTS_MAX = 4;

interface Operation {
  readonly operationId: string;
  readonly 'x-payment-info'?: object;
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly examples: { readonly example: { value: object } } };
    };
  };
}

describe('an agent that knows nothing but the address', () => {
  let world: World;
  let address: string;
  let requests: string[];

  beforeAll(async () => {
    world = await World.start();
    address = await world.listen();
  });

  beforeEach(() => {
    requests = [];
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const ask = (path: string, init?: RequestInit): Promise<Response> => {
    requests.push(`${init?.method ?? 'GET'} ${path}`);
    return fetch(address + path, init);
  };

  /** Calls, reads the requirements of the 402, pays and calls again. It knows only x402. */
  const buy = async (path: string, body: object): Promise<Response> => {
    const call = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const offer = decodePaymentRequiredHeader((await ask(path, call)).headers.get('payment-required') ?? '');
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(new WalletCaller().account));
    const signature = encodePaymentSignatureHeader(await client.createPaymentPayload(offer));
    return ask(path, { ...call, headers: { ...call.headers, 'PAYMENT-SIGNATURE': signature } });
  };

  it.each(['chat', 'generate'])(
    `comes to a paid answer of %s in at most ${REQUESTS_MAX} requests`,
    async (wanted) => {
      const index = await (await ask('/llms.txt')).text();
      const [, described = ''] = /\[OpenAPI\]\(([^)]+)\)/.exec(index) ?? [];
      const { paths } = (await (await ask(new URL(described).pathname)).json()) as {
        paths: Record<string, Record<string, Operation>>;
      };
      const [path = '', { post } = {}] =
        Object.entries(paths).find(([, item]) => item['post']?.operationId === wanted) ?? [];
      expect(post?.['x-payment-info']).toBeDefined();
      const example = post?.requestBody?.content['application/json'].examples.example.value ?? {};

      const answer = await buy(path, example);

      expect([answer.status, answer.headers.get('x-charge-state')]).toEqual([200, 'charged']);
      expect(requests).toHaveLength(REQUESTS_MAX);
    },
  );

  it('needs two requests with the example of the offer from a crawler of paid addresses', async () => {
    const [resource = ''] = (
      (await (await fetch(`${address}/.well-known/x402`)).json()) as { resources: string[] }
    ).resources.filter((url) => url.endsWith('/chat'));
    const probe = await fetch(address + new URL(resource).pathname, { method: 'POST' });
    const { extensions } = decodePaymentRequiredHeader(probe.headers.get('payment-required') ?? '');
    const { bazaar } = extensions as { bazaar: { info: { input: { body: object } } } };

    const answer = await buy(new URL(resource).pathname, bazaar.info.input.body);

    expect(answer.status).toBe(200);
    expect(requests).toHaveLength(2);
  });
});
