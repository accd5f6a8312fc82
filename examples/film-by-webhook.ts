// Begins a film and does something else until the service calls back. It accepts a message only with the
// signature of the service. WEBHOOK_URL is the public address of this program. A service on this machine also calls
// http://127.0.0.1, if its FETCH_ALLOW_HOSTS names that host:
//   LAMPPOST_URL=… LAMPPOST_KEY=lp_… PORT=8080 WEBHOOK_URL=https://… node -r ./tools/typescript.cjs examples/film-by-webhook.ts waves.mp4
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { text } from 'node:stream/consumers';

// In a project of your own: from 'lamppost'.
import { Lamppost, type LamppostEvent, isGenuineWebhook } from '../clients/typescript/src/lamppost';

const [, , file = 'waves.mp4'] = process.argv;
const { LAMPPOST_URL: baseUrl = 'http://127.0.0.1:3000', LAMPPOST_KEY: key = '' } = process.env;
const { PORT: port = '8080', WEBHOOK_URL: webhookUrl = `http://127.0.0.1:${port}/` } = process.env;
const lamppost = new Lamppost({ baseUrl, key, budget: { perCall: 2 } });

/** Signs the messages that go to the `webhookUrl` of a call. An endpoint of your own has a secret instead. */
const publicKey = async (): Promise<string> => {
  const manifest = await fetch(new URL('/v1/agent/manifest.json', baseUrl));
  return ((await manifest.json()) as { webhooks: { publicKey: string } }).webhooks.publicKey;
};

/** The first message that the service has truly sent, and to nobody else: its key signs the messages of all receivers. */
const genuineMessage = (server: Server, publicKey: string, owner: Promise<string>): Promise<LamppostEvent> =>
  new Promise((resolve, reject) => {
    const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await text(request);
      const proof = { publicKey, recipient: { owner: await owner } };
      const isGenuine = await isGenuineWebhook({ headers: request.headers, body }, proof);
      response.writeHead(isGenuine ? 204 : 403).end();
      if (isGenuine) resolve(JSON.parse(body) as LamppostEvent);
    };
    server.on('request', (request, response) => void take(request, response).catch(reject));
  });

const film = async (): Promise<void> => {
  const server = createServer();
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  const signer = await publicKey();

  const started = lamppost.start('Waves at night', { duration: 4, webhookUrl });
  const owner = started.then(({ charge }) => lamppost.receipts.get(charge.id)).then(({ payer }) => payer);
  const message = genuineMessage(server, signer, owner);
  const { charge } = await started;
  console.log(`Begun for $${(charge.micro / 1e6).toFixed(6)}.`);
  const { type, data } = await message;
  server.close();
  if (type !== 'job.done') throw new Error(`The film failed: ${JSON.stringify(data)}`);
  const made = await fetch((data as unknown as { url: string }).url);
  writeFileSync(file, new Uint8Array(await made.arrayBuffer()));
  console.log(`${type}: ${file}`);
};

film().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
