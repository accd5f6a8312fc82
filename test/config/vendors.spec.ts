import { BadSettings } from '#platform/config/variables';
import { fal } from '#models/providers/fal/fal.vendor';
import { openaiCompatible } from '#models/providers/openai/openai-compatible.vendor';
import { VENDORS, providersOn, vendorSwitches } from '#models/providers/vendors';
import { readSettings } from '../../src/settings';

const problemsOf = (variables: Readonly<Record<string, string>>): string => {
  try {
    readSettings(variables);
    return '';
  } catch (error) {
    return (error as BadSettings).problems.join('\n');
  }
};

const GROQ = { OPENAI_COMPATIBLE_SERVERS: 'groq', GROQ_BASE_URL: 'https://api.groq.com/openai/v1' };

describe('a vendor that is switched on', () => {
  it.each(vendorSwitches())('never spends real money against sandbox payments: %s', (name) => {
    const on = { ...GROQ, OPENAI_COMPATIBLE_SERVERS: '', [name]: 'groq' };

    expect(problemsOf(on)).toMatch(
      new RegExp(`^${name} would spend real money while X402_FACILITATOR=sandbox`),
    );
    expect(providersOn(readSettings({ ...on, ALLOW_SANDBOX_MIX: 'true' }))).not.toContain('sandbox');
  });

  it('has a key that no line of the log may hold', () => {
    const { secrets } = readSettings({
      ...GROQ,
      GROQ_API_KEY: 'the-key-of-groq',
      FAL_KEY: 'the-key-of-fal',
      ADMIN_TOKEN: 'the-token-of-the-admin',
      ALLOW_SANDBOX_MIX: 'true',
    });

    expect(secrets).toEqual(
      expect.arrayContaining(['the-key-of-groq', 'the-key-of-fal', 'the-token-of-the-admin']),
    );
  });

  it('must be one who can, to screen', () => {
    expect(problemsOf({ POLICY: 'fal' })).toBe('POLICY must be one of rules, openai');
    expect(problemsOf({ POLICY: 'openai' })).toBe('OPENAI_API_KEY is required with POLICY=openai');
  });
});

describe('servers that speak the language of OpenAI', () => {
  it('exist side by side, each under its own name', () => {
    const settings = readSettings({
      OPENAI_API_KEY: 'sk-openai',
      OPENAI_COMPATIBLE_SERVERS: 'groq, my-vllm',
      GROQ_BASE_URL: 'https://api.groq.com/openai/v1',
      GROQ_API_KEY: 'gsk-groq',
      GROQ_QUIRKS: 'max_completion_tokens',
      MY_VLLM_BASE_URL: 'http://10.0.0.7:8000/v1',
      ALLOW_SANDBOX_MIX: 'true',
    });

    expect([...providersOn(settings)]).toEqual(['openai', 'groq', 'my-vllm']);
    expect(settings.providers.find(({ name }) => name === 'groq')?.access).toEqual({
      baseUrl: 'https://api.groq.com/openai/v1',
      key: 'gsk-groq',
      quirks: ['max_completion_tokens'],
    });
    expect(settings.providers.find(({ name }) => name === 'my-vllm')?.access).toEqual({
      baseUrl: 'http://10.0.0.7:8000/v1',
      key: undefined,
      quirks: [],
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['without an address', { OPENAI_COMPATIBLE_SERVERS: 'groq' }, 'GROQ_BASE_URL is required'],
    [
      'at an address that is none',
      { ...GROQ, GROQ_BASE_URL: 'groq' },
      'GROQ_BASE_URL must be an http or https address',
    ],
    [
      'with a quirk that nobody knows',
      { ...GROQ, GROQ_QUIRKS: 'shy' },
      'GROQ_QUIRKS must be some of max_completion_tokens, no_stream_options, usage_cost',
    ],
    [
      'under a name that is none',
      { OPENAI_COMPATIBLE_SERVERS: 'Groq!' },
      'OPENAI_COMPATIBLE_SERVERS must be different names in lower case with commas between them, such as groq,my-vllm',
    ],
    [
      'twice',
      { ...GROQ, OPENAI_COMPATIBLE_SERVERS: 'groq,groq' },
      'OPENAI_COMPATIBLE_SERVERS must be different names in lower case with commas between them, such as groq,my-vllm',
    ],
    [
      'under the name of a vendor',
      { OPENAI_COMPATIBLE_SERVERS: 'fal', FAL_BASE_URL: 'https://fal.example' },
      'fal names two providers: the one of openai-compatible that OPENAI_COMPATIBLE_SERVERS switches on and the one of fal that FAL_KEY switches on',
    ],
  ])('are not set up %s', (_, variables, problem) => {
    expect(problemsOf({ ...variables, ALLOW_SANDBOX_MIX: 'true' })).toContain(problem);
  });
});

describe('two vendors of one name', () => {
  afterEach(() => VENDORS.pop());

  it('stop the start, which names both', () => {
    VENDORS.push({ ...fal, settings: {}, enabledBy: 'ANOTHER_FAL' });

    expect(problemsOf({})).toContain(
      'fal names two providers: the one of fal that FAL_KEY switches on and the one of fal that ANOTHER_FAL switches on',
    );
  });

  it('stop it, too, where each is a kind that no server is listed of', () => {
    VENDORS.push({ ...openaiCompatible, listedIn: { ...openaiCompatible.listedIn, name: 'OTHER_SERVERS' } });

    expect(problemsOf({})).toContain('two kinds of servers are named openai-compatible');
  });
});
