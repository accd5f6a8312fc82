import { useEffect, useRef } from 'preact/hooks';

import { LooksOn, askAccount, useMay } from '../allowed.tsx';
import { call } from '../api.ts';
import { type Cost, type Message, TOKENS_DEFAULT, type TextModel, converse, worstCase } from '../chat.ts';
import { count, money } from '../format.ts';
import { Markdown } from '../markdown.tsx';
import { RememberSwitch } from '../remember-switch.tsx';
import { useRemembered } from '../remembered.ts';
import { balanceChanged, facts, show } from '../shell.tsx';
import { StudioTabs } from '../studio-tabs.tsx';
import { CopyButton, Empty, Field, Loading, Problem, Select } from '../ui.tsx';
import { useAction, useAddress, useLoaded } from '../use.ts';

type Turn = Message & { readonly cost?: Cost | undefined; readonly stopped?: boolean };

const LENGTHS = [256, TOKENS_DEFAULT, 4_096, 8_192];

const Said = ({
  turn: { role, content, cost, stopped },
  busy,
  onRetry,
}: {
  readonly turn: Turn;
  readonly busy: boolean;
  readonly onRetry: (() => void) | undefined;
}) => (
  <li class={`said ${role}`} aria-busy={busy}>
    <span class="unseen">{role === 'user' ? 'You:' : 'The model:'}</span>
    {role === 'user' ? <div class="words">{content}</div> : <Markdown text={content} />}
    {busy ? <span class="caret" aria-hidden="true" /> : null}
    {cost === undefined && stopped !== true ? null : (
      <p class="hint">
        {stopped === true ? 'Stopped. ' : ''}
        {cost === undefined
          ? 'It had said nothing yet; what the model was sent is charged.'
          : `Cost ${money(cost.micro)}`}
        {cost?.tokensIn === undefined
          ? ''
          : `: ${count(cost.tokensIn, 'token')} in, ${count(cost.tokensOut ?? 0, 'token')} out`}
      </p>
    )}
    {role === 'user' || busy ? null : (
      <div class="row">
        <CopyButton text={content} what="the answer" />
        {onRetry === undefined ? null : (
          <button type="button" class="small" onClick={onRetry}>
            Retry
          </button>
        )}
      </div>
    )}
  </li>
);

const curlOf = (
  model: TextModel,
  messages: readonly Message[],
  tokens: number,
  temperature: number | undefined,
): string => {
  const body = JSON.stringify({ model: model.id, messages, max_tokens: tokens, temperature, stream: true });
  return `curl -N ${facts.publicUrl}/v1/chat/completions \\
  -H 'authorization: Bearer lp_…' -H 'content-type: application/json' \\
  -d '${body.replaceAll("'", String.raw`'\''`)}'`;
};

const Talk = ({ models, account }: { readonly models: readonly TextModel[]; readonly account: string }) => {
  const [address, setAddress] = useAddress();
  const [turns, setTurns] = useRemembered<readonly Turn[]>(`${account}.turns`, []);
  const [draft, setDraft] = useRemembered(`${account}.draft`, '');
  const [system, setSystem] = useRemembered(`${account}.system`, '');
  const [warmth, setWarmth] = useRemembered(`${account}.temperature`, '');
  const may = useMay('change /v1/agent');
  const stop = useRef<AbortController | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const model =
    models.find(({ id }) => id === address.get('model')) ?? models.find((one) => one.default) ?? models[0]!;
  const tokens = LENGTHS.find((length) => String(length) === address.get('tokens')) ?? TOKENS_DEFAULT;
  const past = turns.map(({ role, content }): Message => ({ role, content }));
  const instructed: readonly Message[] =
    system.trim() === '' ? [] : [{ role: 'system', content: system.trim() }];
  const next: readonly Message[] = [...instructed, ...past, { role: 'user', content: draft.trim() }];
  const temperature = warmth === '' ? undefined : Number(warmth);

  const say = useAction(async (question: string, before: readonly Turn[]) => {
    if (question === '') {
      box.current?.focus();
      return;
    }
    const controller = new AbortController();
    stop.current = controller;
    const asked: Turn = { role: 'user', content: question };
    let content = '';
    let frame = 0;
    const tell = (more: Partial<Turn>): void =>
      setTurns([...before, asked, { role: 'assistant', content, ...more }]);
    tell({});
    const isRetry = before !== turns;
    if (!isRetry) setDraft('');
    const messages: readonly Message[] = [
      ...instructed,
      ...before.map(({ role, content: said }): Message => ({ role, content: said })),
      { role: 'user', content: question },
    ];
    const settings = { maxTokens: tokens, temperature };
    try {
      const cost = await converse(model, messages, settings, controller.signal, (text) => {
        content += text;
        // Once for each frame of the screen: words arrive faster than anybody reads.
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => tell({}));
      });
      cancelAnimationFrame(frame);
      tell({ cost, stopped: controller.signal.aborted });
    } catch (error) {
      // The question returns to the box, to be sent again after the problem is solved.
      setTurns(turns);
      if (!isRetry) setDraft(question);
      throw error;
    } finally {
      balanceChanged();
      box.current?.focus();
    }
  });
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns]);

  return (
    <div class="studio">
      <div class="card stack talk">
        {turns.length === 0 ? (
          <Empty title="Ask something">
            <p>
              You pay for the tokens really used, at the catalog's rate. The most it can cost is shown first.
            </p>
          </Empty>
        ) : null}
        <div role="log" aria-label="Conversation">
          <ol class="plain turns">
            {turns.map((turn, at) => (
              <Said
                key={at}
                turn={turn}
                busy={say.running && at === turns.length - 1}
                onRetry={
                  at === turns.length - 1 && turn.role === 'assistant' && may !== false
                    ? () => void say.run(turns[at - 1]?.content ?? '', turns.slice(0, at - 1))
                    : undefined
                }
              />
            ))}
          </ol>
        </div>
        <LooksOn />
        <Problem error={say.error} />
        <div class="stack composer" ref={end}>
          <Field label="Message">
            {(ids) => (
              <textarea
                {...ids}
                ref={box}
                rows={3}
                value={draft}
                placeholder="Enter sends, Shift and Enter begins a new line"
                onInput={(event) => setDraft(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
                    event.preventDefault();
                    if (may !== false) void say.run(draft.trim(), turns);
                  }
                }}
              />
            )}
          </Field>
          <div class="row apart">
            <p class="soft" data-test="worst">
              At most <strong class="number">{money(worstCase(model, next, tokens))}</strong>
            </p>
            {say.running ? (
              <button type="button" class="danger" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            ) : (
              <button
                type="button"
                class="primary"
                disabled={may === false}
                onClick={() => void say.run(draft.trim(), turns)}
              >
                Send
              </button>
            )}
          </div>
        </div>
      </div>
      <aside class="card stack" aria-label="Settings">
        <Select
          label="Model"
          choices={models.map(({ id, name }) => ({ value: id, text: name }))}
          value={model.id}
          hint={`$${model.inputUsdPerMtok} in and $${model.outputUsdPerMtok} out, for a million tokens`}
          onChoose={(id) => setAddress({ model: id })}
        />
        <Select
          label="Length of an answer"
          choices={LENGTHS.map((length) => ({
            value: String(length),
            text: `up to ${count(length, 'token')}`,
          }))}
          value={String(tokens)}
          onChoose={(length) => setAddress({ tokens: length })}
        />
        <Field label="System prompt" hint="Sent before the conversation, with every message.">
          {(ids) => (
            <textarea
              {...ids}
              rows={3}
              value={system}
              onInput={(event) => setSystem(event.currentTarget.value)}
            />
          )}
        </Field>
        <Select
          label="Temperature"
          choices={[
            { value: '', text: 'Default of the model' },
            ...['0', '0.3', '0.7', '1', '1.3', '2'].map((value) => ({ value, text: value })),
          ]}
          value={warmth}
          onChoose={setWarmth}
        />
        <div class="row">
          <span class="soft">As curl</span>
          <CopyButton
            text={curlOf(
              model,
              draft.trim() === '' && past.length > 0 ? [...instructed, ...past] : next,
              tokens,
              temperature,
            )}
            what="the call as curl"
          />
        </div>
        {turns.length === 0 ? null : (
          <button type="button" disabled={say.running} onClick={() => setTurns([])}>
            New conversation
          </button>
        )}
        <RememberSwitch
          disabled={say.running}
          onForget={() => {
            setTurns([]);
            setDraft('');
            setSystem('');
            setWarmth('');
          }}
        />
      </aside>
    </div>
  );
};

const Chat = () => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  const person = useLoaded(askAccount, []);
  return (
    <>
      <h1>Studio</h1>
      <StudioTabs at="studio" />
      <Problem error={error} />
      <Problem error={person.error} />
      {data === undefined || person.data === undefined ? (
        (error ?? person.error) === undefined && <Loading />
      ) : (
        <Talk models={data.textModels} account={person.data.id} />
      )}
    </>
  );
};

show(<Chat />, { wide: true });
