import { useEffect, useRef, useState } from 'preact/hooks';

import { LooksOn, useMay } from '../allowed.tsx';
import { call } from '../api.ts';
import { type Cost, type Message, TOKENS_DEFAULT, type TextModel, converse, worstCase } from '../chat.ts';
import { count, money } from '../format.ts';
import { balanceChanged, facts, show } from '../shell.tsx';
import { StudioTabs } from '../studio-tabs.tsx';
import { CopyButton, Empty, Field, Loading, Problem, Select } from '../ui.tsx';
import { useAction, useAddress, useLoaded } from '../use.ts';

type Turn = Message & { readonly cost?: Cost | undefined; readonly stopped?: boolean };

const LENGTHS = [256, TOKENS_DEFAULT, 4_096, 8_192];

/** Renders fenced code as blocks; everything else is plain text. */
const Words = ({ text }: { readonly text: string }) => (
  <div class="words">
    {text.split(/```/).map((part, at) =>
      at % 2 === 0 ? (
        <span key={at}>{part}</span>
      ) : (
        <pre key={at} tabIndex={0}>
          {part.replace(/^\w*\n/, '')}
        </pre>
      ),
    )}
  </div>
);

const Said = ({
  turn: { role, content, cost, stopped },
  busy,
}: {
  readonly turn: Turn;
  readonly busy: boolean;
}) => (
  <li class={`said ${role}`} aria-busy={busy}>
    <span class="unseen">{role === 'user' ? 'You:' : 'The model:'}</span>
    <Words text={content} />
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
  </li>
);

const curlOf = (model: TextModel, messages: readonly Message[], tokens: number): string => {
  const body = JSON.stringify({ model: model.id, messages, max_tokens: tokens, stream: true });
  return `curl -N ${facts.publicUrl}/v1/chat/completions \\
  -H 'authorization: Bearer lp_…' -H 'content-type: application/json' \\
  -d '${body.replaceAll("'", String.raw`'\''`)}'`;
};

const Talk = ({ models }: { readonly models: readonly TextModel[] }) => {
  const [address, setAddress] = useAddress();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [draft, setDraft] = useState('');
  const may = useMay('change /v1/agent');
  const stop = useRef<AbortController | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const model =
    models.find(({ id }) => id === address.get('model')) ?? models.find((one) => one.default) ?? models[0]!;
  const tokens = LENGTHS.find((length) => String(length) === address.get('tokens')) ?? TOKENS_DEFAULT;
  const past = turns.map(({ role, content }): Message => ({ role, content }));
  const next: readonly Message[] = [...past, { role: 'user', content: draft.trim() }];

  const say = useAction(async () => {
    const question = draft.trim();
    if (question === '') {
      box.current?.focus();
      return;
    }
    const controller = new AbortController();
    stop.current = controller;
    const before = turns;
    const asked: Turn = { role: 'user', content: question };
    let content = '';
    let frame = 0;
    const tell = (more: Partial<Turn>): void =>
      setTurns([...before, asked, { role: 'assistant', content, ...more }]);
    tell({});
    setDraft('');
    try {
      const cost = await converse(model, next, tokens, controller.signal, (text) => {
        content += text;
        // Once for each frame of the screen: words arrive faster than anybody reads.
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => tell({}));
      });
      cancelAnimationFrame(frame);
      tell({ cost, stopped: controller.signal.aborted });
    } catch (error) {
      // The question returns to the box, to be sent again after the problem is solved.
      setTurns(before);
      setDraft(question);
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
        <ol class="plain turns" role="log" aria-label="Conversation">
          {turns.map((turn, at) => (
            <Said key={at} turn={turn} busy={say.running && at === turns.length - 1} />
          ))}
        </ol>
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
                    if (may !== false) void say.run();
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
              <button type="button" class="primary" disabled={may === false} onClick={() => void say.run()}>
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
        <div class="row">
          <span class="soft">As curl</span>
          <CopyButton
            text={curlOf(model, draft.trim() === '' && past.length > 0 ? past : next, tokens)}
            what="the call as curl"
          />
        </div>
        {turns.length === 0 ? null : (
          <button type="button" disabled={say.running} onClick={() => setTurns([])}>
            New conversation
          </button>
        )}
      </aside>
    </div>
  );
};

const Chat = () => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  return (
    <>
      <h1>Studio</h1>
      <StudioTabs at="studio" />
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : <Talk models={data.textModels} />}
    </>
  );
};

show(<Chat />, { wide: true });
