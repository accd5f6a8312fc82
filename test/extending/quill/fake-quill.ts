import type { ServerResponse } from 'node:http';

import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from '../../support/fake-provider';

const EVENTS = [
  { says: 'Hello' },
  { says: ' there.' },
  { ended: 'all' },
  { counted: { read: 9, written: 3 } },
];

export class FakeQuill extends FakeProvider {
  static readonly key = 'quill-key-0123456789';
  streamEndsAfter: number | undefined;
  hungUp = 0;

  protected operationOf(): string {
    return 'chat';
  }

  protected errorBody(status: number): unknown {
    return { error: { code: `E${status}`, message: VENDOR_WORDS } };
  }

  protected answer({ headers, body }: FakeRequest): FakeReply {
    if (headers.authorization !== `Bearer ${FakeQuill.key}`)
      return { status: 401, json: this.errorBody(401) };
    const { stream } = JSON.parse(body.toString()) as { readonly stream: boolean };
    return stream
      ? { stream: (response) => this.streamTo(response) }
      : { json: { says: 'Hello there.', counted: { read: 9, written: 3 } } };
  }

  private streamTo(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.on('close', () => {
      if (!response.writableFinished) this.hungUp += 1;
    });
    const until = this.streamEndsAfter ?? EVENTS.length;
    for (const event of EVENTS.slice(0, until)) response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (until !== Infinity) response.end();
  }
}
