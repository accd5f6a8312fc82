import { useEffect, useRef, useState } from 'preact/hooks';

import { LooksOn, askAccount, useMay } from '../parts/allowed.tsx';
import { call } from '../parts/api.ts';
import { curlOf } from '../parts/call-code.ts';
import {
  type Conversation,
  type Cost,
  type Message,
  TOKENS_DEFAULT,
  type TextModel,
  converse,
  worstCase,
} from './chat.ts';
import { count, labelsOf, money } from '../parts/format.ts';
import { Markdown } from './markdown.tsx';
import { RememberSwitch } from './remember-switch.tsx';
import { useRemembered } from './remembered.ts';
import { balanceChanged, facts, show } from '../parts/shell.tsx';
import { problemOf, readDataUri } from './inputs.ts';
import { StudioTabs } from './studio-tabs.tsx';
import { CopyButton, Empty, Field, Loading, Problem, Select } from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly cost?: Cost | undefined;
  readonly stopped?: boolean;
  /** The images of a question, as `data:` URIs. They are lost when the page is reloaded. */
  readonly images?: readonly string[];
  /** The number of images that were lost in a reload. */
  readonly lost?: number;
}

/** Makes the message of a turn. A model without vision gets only the text. */
const messageOf = ({ role, content, images = [] }: Turn, { vision }: TextModel): Message =>
  images.length === 0 || vision !== true
    ? { role, content }
    : {
        role,
        content: [
          ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
          ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
        ],
      };

/** Removes images, because they are too large for the browser's storage. */
const withoutImages = (turns: readonly Turn[]): readonly Turn[] =>
  turns.map(({ images, ...turn }) =>
    images === undefined ? turn : { ...turn, lost: images.length + (turn.lost ?? 0) },
  );

const EFFORTS = ['low', 'medium', 'high'];
const IMAGES_MAX = 8;

const LENGTHS = [256, TOKENS_DEFAULT, 4_096, 8_192];

const ShownTurn = ({
  turn: { role, content, cost, stopped, images = [], lost = 0 },
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
    {images.length === 0 ? null : (
      <ul class="plain row">
        {images.map((url, at) => (
          <li key={at}>
            <img class="sent-image" src={url} alt={`Image ${at + 1} of the question`} />
          </li>
        ))}
      </ul>
    )}
    {lost === 0 ? null : <p class="hint">{count(lost, 'image')} sent. A reload does not keep images.</p>}
    {busy ? <span class="caret" aria-hidden="true" /> : null}
    {cost === undefined && stopped !== true ? null : (
      <p class="hint">
        {stopped === true ? 'Stopped. ' : ''}
        {cost === undefined
          ? 'Its cost is not known yet; Requests will show it.'
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

/** The call as a command, with a placeholder for each image. */
const commandOf = (model: TextModel, conversation: Conversation): string => {
  const messages = conversation.messages.map(({ role, content }) => ({
    role,
    content:
      typeof content === 'string'
        ? content
        : content.map((part) =>
            part.type === 'text' ? part : { ...part, image_url: { url: 'https://example.com/your-image' } },
          ),
  }));
  return curlOf({
    base: facts.publicUrl,
    path: '/v1/chat/completions',
    tool: undefined,
    isPaidByX402: false,
    body: { model: model.id, ...conversation, messages, stream: true },
  });
};

const Talk = ({ models, account }: { readonly models: readonly TextModel[]; readonly account: string }) => {
  const [address, setAddress] = useAddress();
  const [turns, setTurns] = useRemembered<readonly Turn[]>(`${account}.turns`, [], withoutImages);
  const [draft, setDraft] = useRemembered(`${account}.draft`, '');
  const [system, setSystem] = useRemembered(`${account}.system`, '');
  const [warmth, setWarmth] = useRemembered(`${account}.temperature`, '');
  const [effort, setEffort] = useRemembered(`${account}.effort`, '');
  const [images, setImages] = useState<readonly string[]>([]);
  const may = useMay('change /v1/agent');
  const stop = useRef<AbortController | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const model =
    models.find(({ id }) => id === address.get('model')) ?? models.find((one) => one.default) ?? models[0]!;
  const labelOf = labelsOf(models);
  const tokens = LENGTHS.find((length) => String(length) === address.get('tokens')) ?? TOKENS_DEFAULT;
  const past = turns.map((turn) => messageOf(turn, model));
  const instructed: readonly Message[] =
    system.trim() === '' ? [] : [{ role: 'system', content: system.trim() }];
  const conversationOf = (messages: readonly Message[]): Conversation => ({
    messages: [...instructed, ...messages],
    max_tokens: tokens,
    temperature: warmth === '' ? undefined : Number(warmth),
    reasoning_effort: effort === '' || model.reasoning !== true ? undefined : effort,
  });
  const sees = model.vision === true;
  const drafted: Turn = { role: 'user', content: draft.trim(), images: sees ? images : [] };
  const isEmpty = drafted.content === '' && drafted.images?.length === 0;
  const next = conversationOf([...past, messageOf(drafted, model)]);

  const attach = useAction(async (files: readonly File[]) => {
    const problem = files.map((file) => problemOf(file, 'image')).find((one) => one !== undefined);
    if (problem !== undefined) throw new Error(problem);
    const read = await Promise.all(files.map(readDataUri));
    if (images.length + read.length > IMAGES_MAX) throw new Error(`One message takes ${IMAGES_MAX} images.`);
    setImages([...images, ...read]);
  });
  const send = useAction(async (question: Turn, before: readonly Turn[]) => {
    if (question.content === '' && (question.images ?? []).length === 0) {
      box.current?.focus();
      return;
    }
    const controller = new AbortController();
    stop.current = controller;
    let content = '';
    let frame = 0;
    const update = (more: Partial<Turn>): void =>
      setTurns([...before, question, { role: 'assistant', content, ...more }]);
    update({});
    const isRetry = before !== turns;
    if (!isRetry) {
      setDraft('');
      setImages([]);
    }
    const conversation = conversationOf([...before, question].map((turn) => messageOf(turn, model)));
    try {
      const cost = await converse(model, conversation, controller.signal, (text) => {
        content += text;
        // Draws once for each frame of the screen, because words arrive faster than a person reads.
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => update({}));
      });
      cancelAnimationFrame(frame);
      update({ cost, stopped: controller.signal.aborted });
    } catch (error) {
      // The question returns to the input, so that the person can send it again.
      setTurns(turns);
      if (!isRetry) {
        setDraft(question.content);
        setImages(question.images ?? []);
      }
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
              You pay for the used tokens, at the catalog's rate. The page first shows the highest possible
              cost.
            </p>
          </Empty>
        ) : null}
        <div role="log" aria-label="Conversation">
          <ol class="plain turns">
            {turns.map((turn, at) => (
              <ShownTurn
                key={at}
                turn={turn}
                busy={send.running && at === turns.length - 1}
                onRetry={
                  at === turns.length - 1 && turn.role === 'assistant' && may !== false
                    ? () => void send.run(turns[at - 1] ?? drafted, turns.slice(0, at - 1))
                    : undefined
                }
              />
            ))}
          </ol>
        </div>
        <LooksOn />
        <Problem error={send.error ?? attach.error} />
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
                onPaste={(event) => {
                  const files = [...(event.clipboardData?.files ?? [])];
                  if (!sees || files.length === 0) return;
                  event.preventDefault();
                  void attach.run(files);
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
                    event.preventDefault();
                    if (may !== false) void send.run(drafted, turns);
                  }
                }}
              />
            )}
          </Field>
          {sees ? (
            <div class="row">
              <label class="button small">
                Add images
                <input
                  type="file"
                  class="unseen"
                  accept="image/*"
                  multiple
                  onChange={({ currentTarget }) => {
                    void attach.run([...(currentTarget.files ?? [])]);
                    currentTarget.value = '';
                  }}
                />
              </label>
              {images.map((url, at) => (
                <button
                  type="button"
                  key={at}
                  class="small"
                  aria-label={`Remove image ${at + 1}`}
                  onClick={() => setImages(images.filter((_, place) => place !== at))}
                >
                  <img class="thumbnail" src={url} alt="" /> <span aria-hidden="true">×</span>
                </button>
              ))}
            </div>
          ) : null}
          {!sees && (images.length > 0 || turns.some((turn) => turn.images !== undefined)) ? (
            <p class="hint">{model.name} does not see images: it gets the text alone.</p>
          ) : null}
          <div class="row apart">
            <p class="soft" data-test="worst">
              At most <strong class="number">{money(worstCase(model, next))}</strong>
            </p>
            {send.running ? (
              <button type="button" class="danger" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            ) : (
              <button
                type="button"
                class="primary"
                disabled={may === false}
                onClick={() => void send.run(drafted, turns)}
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
          choices={models.map((each) => ({ value: each.id, text: labelOf(each) }))}
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
        {model.reasoning === true ? (
          <Select
            label="Effort"
            hint="How long the model reasons before it answers."
            choices={[
              { value: '', text: 'Default of the model' },
              ...EFFORTS.map((value) => ({ value, text: value })),
            ]}
            value={effort}
            onChoose={setEffort}
          />
        ) : null}
        <div class="row">
          <span class="soft">As curl</span>
          <CopyButton
            text={commandOf(model, isEmpty && past.length > 0 ? conversationOf(past) : next)}
            what="the call as curl"
          />
        </div>
        {turns.length === 0 ? null : (
          <button type="button" disabled={send.running} onClick={() => setTurns([])}>
            New conversation
          </button>
        )}
        <RememberSwitch
          disabled={send.running}
          onForget={() => {
            setTurns([]);
            setDraft('');
            setSystem('');
            setWarmth('');
            setEffort('');
            setImages([]);
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
