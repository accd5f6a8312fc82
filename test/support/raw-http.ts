import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // The value is parsed JSON, so it may be of any type.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/**
 * Sends bytes unchanged, for requests that no client library would send. Reads until the server's answer is complete.
 */
export const sendRaw = async (
  baseUrl: string,
  ...parts: readonly (string | Buffer)[]
): Promise<RawAnswer> => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const complete = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      if (isWhole(text)) resolve(text);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
  await once(socket, 'connect');
  for (const part of parts) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), complete]);
  }
  try {
    return parse(await complete);
  } finally {
    socket.destroy();
  }
};

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return end !== -1 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length);
};

const parse = (text: string): RawAnswer => {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const isJson = headers['content-type']?.includes('json') === true;
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: isJson && body !== '' ? JSON.parse(body) : body,
  };
};
