import { ContentPolicy, ALLOWED, PolicyUnavailable, type PolicyVerdict } from '../content-policy';
import { fieldsOf, itemsOf } from '../http/answer-status';
import { ProviderHttp } from '../http/provider-http';
import { type ServerAccess, authorizationOf } from './openai-server';

const MODEL = 'omni-moderation-latest';
const SCREEN_MS_MAX = 10_000;

/**
 * Screens with the moderation API. Anything but a clear verdict stops the call: nothing unscreened passes. The API
 * takes no videos; they are checked only against the operator's list of known media.
 */
export class OpenaiPolicy extends ContentPolicy {
  readonly remote = true;
  private readonly http: ProviderHttp;

  constructor(
    access: Pick<ServerAccess, 'baseUrl' | 'key'>,
    private readonly known: Pick<ContentPolicy, 'screenVideo'>,
  ) {
    super();
    this.http = new ProviderHttp({
      name: 'openai',
      baseUrl: access.baseUrl,
      headers: () => authorizationOf(access),
    });
  }

  screenText(text: string): Promise<PolicyVerdict> {
    return this.screen({ type: 'text', text });
  }

  screenImage(bytes: Buffer, mime: string): Promise<PolicyVerdict> {
    const url = `data:${mime};base64,${bytes.toString('base64')}`;
    return this.screen({ type: 'image_url', image_url: { url } });
  }

  screenVideo(sha256: string): Promise<PolicyVerdict> {
    return this.known.screenVideo(sha256);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async screen(input: object): Promise<PolicyVerdict> {
    let answer: unknown;
    try {
      answer = await this.http.json({
        method: 'POST',
        path: 'moderations',
        json: { model: MODEL, input: [input] },
        signal: AbortSignal.timeout(SCREEN_MS_MAX),
      });
    } catch (error) {
      throw new PolicyUnavailable(error);
    }
    const { flagged, categories } = fieldsOf(itemsOf(fieldsOf(answer)['results'])[0]);
    if (typeof flagged !== 'boolean') throw new PolicyUnavailable();
    return flagged ? { allowed: false, category: categoryIn(categories) } : ALLOWED;
  }
}

/** The first category that applies, in plain words. */
const categoryIn = (categories: unknown): string => {
  const [name = 'other'] = Object.entries(fieldsOf(categories)).find(([, applies]) => applies === true) ?? [];
  return /^[a-z/-]{1,60}$/.test(name) ? name.replaceAll('/', ' ') : 'other';
};
