import { fieldsOf, itemsOf } from '../http/json-fields';
import { ProviderHttp } from '../http/provider-http';
import { type CategoryScore, Screener } from '../policy/screener';
import { type ServerAccess, authorizationOf } from './openai-server';
import { plainCategory } from '../policy/policy-limits';
import { PolicyUnavailable } from '../policy/policy.errors';

const MODEL = 'omni-moderation-latest';
const SCREEN_MS_MAX = 10_000;

/**
 * Screens with OpenAI's moderation API. Without a clear verdict the call fails, so no unscreened content passes. The
 * operator's rules check images too. They are the only check of videos, which the API does not accept.
 */
export class OpenaiScreener extends Screener {
  readonly remote = true;
  private readonly http: ProviderHttp;

  constructor(
    access: Pick<ServerAccess, 'baseUrl' | 'key'>,
    private readonly known: Pick<Screener, 'screenImage' | 'screenVideo'>,
  ) {
    super();
    this.http = new ProviderHttp({
      name: 'openai',
      baseUrl: access.baseUrl,
      headers: () => authorizationOf(access),
    });
  }

  screenText(text: string): Promise<readonly CategoryScore[]> {
    return this.screen({ type: 'text', text });
  }

  async screenImage(bytes: Buffer, mime: string): Promise<readonly CategoryScore[]> {
    const known = await this.known.screenImage(bytes, mime);
    if (known.length > 0) return known;
    const url = `data:${mime};base64,${bytes.toString('base64')}`;
    return this.screen({ type: 'image_url', image_url: { url } });
  }

  screenVideo(sha256: string): Promise<readonly CategoryScore[]> {
    return this.known.screenVideo(sha256);
  }

  override async close(): Promise<void> {
    await this.http.close();
  }

  private async screen(input: object): Promise<readonly CategoryScore[]> {
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
    const result = fieldsOf(itemsOf(fieldsOf(answer)['results'])[0]);
    const { flagged } = result;
    if (typeof flagged !== 'boolean') throw new PolicyUnavailable();
    const scores = scoresIn(result);
    const isNamed = scores.some((score) => score.flagged);
    return flagged && !isNamed ? [...scores, { category: 'other', score: 1, flagged }] : scores;
  }
}

/** A flagged category counts as certain if its score is missing or not valid. */
const scoresIn = (result: Readonly<Record<string, unknown>>): readonly CategoryScore[] => {
  const [flags, scores] = [fieldsOf(result['categories']), fieldsOf(result['category_scores'])];
  return [...new Set([...Object.keys(flags), ...Object.keys(scores)])].map((name) => {
    const [flagged, score] = [flags[name] === true, scores[name]];
    const isScore = typeof score === 'number' && score >= 0 && score <= 1;
    return { category: plainCategory(name), score: isScore ? score : Number(flagged), flagged };
  });
};
