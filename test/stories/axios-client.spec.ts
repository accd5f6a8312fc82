import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import axios, { type AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios';

import { WalletCaller } from '../support/caller';
import { sendRaw } from '../support/raw-http';
import { World } from '../support/world';

/** Pays like `@x402/axios`: it reads the requirements of a 402, signs, and sends the same request again. */
const withPayment = (client: AxiosInstance, { account }: WalletCaller): AxiosInstance => {
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
  payer.setSpendControls?.({ maxAmountPerPayment: '$100' });
  const http = new x402HTTPClient(payer);
  client.interceptors.response.use(undefined, async (error: AxiosError) => {
    const config = error.config as (AxiosRequestConfig & { isPaid?: boolean }) | undefined;
    if (error.response?.status !== 402 || config === undefined || config.isPaid === true) throw error;
    const { headers, data } = error.response;
    const required = http.getPaymentRequiredResponse((name) => String(headers[name.toLowerCase()]), data);
    const payment = http.encodePaymentSignatureHeader(await payer.createPaymentPayload(required));
    return client.request({
      ...config,
      isPaid: true,
      headers: { ...config.headers, ...payment },
    } as AxiosRequestConfig);
  });
  return client;
};

describe('axios clients that pay with x402', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('top up, although they give a type to a body that is not there', async () => {
    const wallet = new WalletCaller();
    let sent: string | undefined;
    const client = axios.create({ adapter: 'http' });
    client.interceptors.request.use((config) => {
      config.headers.set('content-type', 'application/x-www-form-urlencoded');
      sent = String(config.headers.get('content-type'));
      return config;
    });

    const answer = await withPayment(client, wallet).post(`${url}/v1/agent/x402/top-up?usd=5`);

    expect(sent).toBe('application/x-www-form-urlencoded');
    expect(answer.status).toBe(200);
    const { body } = await world.get(`/v1/agent/x402/balance/${wallet.wallet}`);
    expect(body.balanceMicro).toBe(5_000_000);
  });

  it.each([
    ['with', 'content-length: 0\r\n'],
    ['without', ''],
  ])('are asked to pay for no body %s a length', async (_how, length) => {
    const answer = await sendRaw(
      url,
      `POST /v1/agent/x402/top-up?usd=5 HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n${length}\r\n`,
    );

    expect(answer.status).toBe(402);
  });

  it('pay for a call with a body', async () => {
    const answer = await withPayment(axios.create({ adapter: 'http' }), new WalletCaller()).post(
      `${url}/v1/agent/chat`,
      { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 },
    );

    expect([answer.status, answer.headers['x-charge-state']]).toEqual([200, 'charged']);
  });

  it('still get an error when a body has no supported type', async () => {
    const answer = await axios.post(`${url}/v1/agent/chat`, 'a=1', { adapter: 'http', validateStatus: null });

    expect(answer.status).toBe(415);
  });
});
