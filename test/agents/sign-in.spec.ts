import { PUBLIC_ADDRESS } from '../support/outside-hosts';
import { AgentStage } from './agent-stage';
import type { Program } from './programs';
import { DONE, PROGRAMS, inTurn } from './said';
import { SIGN_INS } from './sign-ins';

/** The price of the smallest call of the tool. */
const CHAT_MICRO = 2_000;

/** The documents by which two of the programs name themselves. The hosts are outside, so the test has copies. */
const DOCUMENTS: readonly [host: string, path: string, name: string][] = [
  ['claude.ai', '/oauth/claude-code-client-metadata', 'Claude Code'],
  ['chatgpt.com', '/oauth/codex/client.json', 'Codex'],
];

/** Programs that know nothing but the address of the tools. A person signs in, and their models call a tool. */
describe.each(PROGRAMS)('%s', (name, program, maker, model) => {
  const signIn = SIGN_INS[name]!;
  const connected: Program = {
    ...program,
    prepare: (place) => {
      program.prepare?.(place);
      signIn.prepare?.(place);
    },
  };
  let stage: AgentStage;

  beforeAll(async () => {
    stage = await AgentStage.start();
    for (const [host, path, client_name] of DOCUMENTS) {
      stage.hosts.addresses.set(host, PUBLIC_ADDRESS);
      const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback'];
      const body = JSON.stringify({ client_id: `https://${host}${path}`, client_name, redirect_uris });
      stage.hosts.answers.set(path, { body });
    }
  });
  beforeEach(() => stage.newCaller());
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  it('signs in by the address alone, and calls a tool', async () => {
    const place = stage.place(model);
    connected.prepare?.(place);
    const typeCommands = async (): Promise<void> => {
      for (const command of signIn.commands(place)) {
        const { code, out, untyped } = await stage.runInTerminal(command, place, signIn.typed);
        expect([code, untyped, out]).toEqual([0, [], out]);
      }
    };
    const [asked] = await Promise.all([stage.allowOpened(place), typeCommands()]);
    stage.makers.open.says = () => DONE;
    const question = {
      messages: [{ role: 'user', content: 'Say hello.' }],
      model: 'qwen-coder',
      max_tokens: 16,
    };
    const fake = stage.makers[maker];
    fake.says = inTurn(...signIn.use('chat', question).map((call) => [call]));
    const { code, out } = await stage.run(connected, place, 'Ask another model to say hello.');

    expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
    expect(asked.searchParams.get('scope')).toBe('generate references read');
    const { body } = await stage.world.get('/v1/account/keys', { cookie: stage.caller.cookie });
    const apps = (body.keys as { app?: { name: string }; spentMicro: number }[]).filter(({ app }) => app);
    expect(apps.map(({ app, spentMicro }) => [app?.name, spentMicro])).toEqual([[signIn.app, CHAT_MICRO]]);
  });
});
