import type { FakeRequest } from '../../support/fake-provider';
import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from '../../support/fake-text-server';

const ENDINGS = { stop: 'all', length: 'most', tool_calls: 'all', content_filter: 'no' } as const;

export class FakeQuill extends FakeTextServer {
  protected readonly trouble = { trouble: VENDOR_WORDS };

  get received(): Received {
    throw new Error('Quill is asked nothing but plain text.');
  }

  protected errorBody(status: number): unknown {
    return { error: { code: `E${status}`, message: VENDOR_WORDS } };
  }

  protected isKnown({ headers }: FakeRequest): boolean {
    return headers.authorization === `Bearer ${this.key}`;
  }

  protected faultIn(): undefined {
    return undefined;
  }

  protected isStreamed(_: FakeRequest, { stream }: Record<string, unknown>): boolean {
    return stream === true;
  }

  protected whole({ texts = [], finish = 'stop', counts }: Said): unknown {
    return { says: texts.join(''), ended: ENDINGS[finish], counted: counts };
  }

  protected events({ texts = [], finish = 'stop', counts }: Said): readonly unknown[] {
    return [...texts.map((says) => ({ says })), { ended: ENDINGS[finish], counted: counts }];
  }
}
