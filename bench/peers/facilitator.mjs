// Replaces a facilitator. It accepts every payment at once.
import { createServer } from 'node:http';

const NETWORK = 'eip155:8453';
let settled = 0;

const answerTo = (path, { paymentPayload } = {}) => {
  const payer = paymentPayload?.payload?.authorization?.from;
  if (path === '/verify') return { isValid: true, payer };
  if (path !== '/settle')
    return { kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} };
  settled += 1;
  return {
    success: true,
    payer,
    network: NETWORK,
    transaction: `0x${settled.toString(16).padStart(64, '0')}`,
  };
};

createServer((request, response) => {
  let body = '';
  request.on('data', (bytes) => (body += bytes));
  request.on('end', () => {
    const text = JSON.stringify(answerTo(request.url, body === '' ? undefined : JSON.parse(body)));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
