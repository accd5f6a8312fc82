import { useRef, useState } from 'preact/hooks';

import { LooksOn, askAccount, useMay } from '../parts/allowed.tsx';
import { type Schemas, call, receiptOf, send } from '../parts/api.ts';
import { curlOf } from '../parts/call-code.ts';
import { labelsOf, money } from '../parts/format.ts';
import { History, JobView, useJob, useJobs } from './jobs.tsx';
import {
  MediaOptions,
  type MediaModel,
  type Options,
  modeName,
  optionsFor,
} from '../models/media-options.tsx';
import { RememberSwitch } from './remember-switch.tsx';
import { useRemembered } from './remembered.ts';
import { inputsOf } from './inputs.ts';
import { type Sources, Shelf, SourceField, bodyOf } from './sources.tsx';
import { useQuote } from '../models/quote.ts';
import { balanceChanged, facts } from '../parts/shell.tsx';
import { StudioTabs } from './studio-tabs.tsx';
import { CopyButton, Field, Loading, Problem } from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

type Kind = 'image' | 'video';
type Running = Schemas['MediaRunningAnswer'];

const MODES: Readonly<Record<Kind, readonly string[]>> = {
  image: ['t2i', 'i2i', 'swap'],
  video: ['t2v', 'i2v', 'motion'],
};

/** `randomUUID` is not available over plain http. */
const newMark = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

const ModelField = ({
  models,
  modes,
  value,
  onChoose,
}: {
  readonly models: readonly MediaModel[];
  readonly modes: readonly string[];
  readonly value: string;
  readonly onChoose: (id: string) => void;
}) => {
  const labelOf = labelsOf(models);
  return (
    <Field label="Model">
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
          {modes.map((mode) => (
            <optgroup key={mode} label={modeName(mode)}>
              {models
                .filter((model) => model.mode === mode)
                .map((model) => (
                  <option key={model.id} value={model.id}>
                    {labelOf(model)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
};

/** The model of a new page. A default that needs no picture comes first, because a person has none at first. */
const firstOf = (models: readonly MediaModel[]): MediaModel => {
  const simple = models.filter(({ mode }) => inputsOf(mode).length === 0);
  return simple.find((one) => one.default) ?? simple[0] ?? models.find((one) => one.default) ?? models[0]!;
};

/** The call as a command. An example address replaces each file. */
const commandOf = (body: Readonly<Record<string, unknown>>): string =>
  curlOf({
    base: facts.publicUrl,
    path: '/v1/agent/generate',
    tool: undefined,
    isPaidByX402: true,
    body: Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        typeof value === 'string' && value.startsWith('data:') ? 'https://example.com/your-file' : value,
      ]),
    ),
  });

/** The job of a charge. If a job ends before the answer is sent, the answer has no job id, but the receipt has it. */
const jobOf = async (chargeId: string): Promise<string> => (await receiptOf(chargeId)).jobId ?? '';

const Workbench = ({
  kind,
  models,
  account,
}: {
  readonly kind: Kind;
  readonly models: readonly MediaModel[];
  readonly account: string;
}) => {
  const [address, setAddress] = useAddress();
  const [prompt, setPrompt] = useRemembered(`${account}.${kind}`, '');
  const [sources, setSources] = useState<Sources>({});
  const [made, setMade] = useState<{ id: string; prompt: string; chargeId: string }>();
  const may = useMay('change /v1/agent');
  const attempt = useRef<{ readonly text: string; readonly mark: string }>();
  const jobId = address.get('job');
  const { data: job, error: jobError, reload } = useJob(jobId);
  const before = useJobs();
  const model = models.find(({ id }) => id === address.get('model')) ?? firstOf(models);
  const selected = Object.fromEntries(address) as Options;
  const options = optionsFor(model, selected);
  const inputs = inputsOf(model.mode);
  const fits = address.get('fit') === 'yes';
  const quote = useQuote({ modelId: model.id, ...options });
  const { current } = quote;
  const body = {
    prompt: prompt.trim(),
    modelId: model.id,
    ...options,
    ...bodyOf(model.mode, sources),
    useReferences: (fits && inputs.length > 0) || undefined,
  };
  /** The idempotency key of a call. A retry after a lost answer uses the same one, so it is charged only once. */
  const markOf = (text: string): string => {
    if (attempt.current?.text !== text) attempt.current = { text, mark: newMark() };
    return attempt.current.mark;
  };
  const make = useAction(async () => {
    if (current === undefined) return;
    // With the quote, the service charges exactly the price on the button.
    const sent = { ...body, quoteId: current.quoteId };
    const response = await send('post', '/v1/agent/generate', {
      body: sent,
      headers: { prefer: 'respond-async', 'idempotency-key': markOf(JSON.stringify(sent)) },
    });
    attempt.current = undefined;
    const { jobId } = (await response.json()) as Partial<Running>;
    const chargeId = response.headers.get('x-charge-id') ?? '';
    const id = jobId ?? (await jobOf(chargeId));
    setMade({ id, prompt: body.prompt, chargeId });
    setAddress({ job: id }, 'push');
    before.reload();
    balanceChanged();
    quote.reload();
  });
  const own = made?.id === jobId ? made : undefined;
  return (
    <>
      <div class="studio bench">
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            void make.run();
          }}
        >
          <Field label="Prompt">
            {(ids) => (
              <textarea
                {...ids}
                required
                maxLength={2_000}
                rows={4}
                value={prompt}
                placeholder={kind === 'image' ? 'A red fox in the snow' : 'A red fox runs through the snow'}
                onInput={(event) => setPrompt(event.currentTarget.value)}
              />
            )}
          </Field>
          <ModelField
            models={models}
            modes={MODES[kind]}
            value={model.id}
            onChoose={(id) => setAddress({ model: id })}
          />
          {inputs.map((name) => (
            <SourceField
              key={name}
              name={name}
              source={sources[name]}
              onChange={(source) => setSources((before) => ({ ...before, [name]: source }))}
            />
          ))}
          {inputs.length === 0 ? null : (
            <>
              <label class="check">
                <input
                  type="checkbox"
                  checked={fits}
                  onChange={(event) => setAddress({ fit: event.currentTarget.checked ? 'yes' : undefined })}
                />
                Fill empty places with the references that fit best
              </label>
              <Shelf />
            </>
          )}
          <div class="grid">
            <MediaOptions
              model={model}
              inputs={selected}
              onChoose={(changes) => setAddress({ ...changes })}
            />
          </div>
          <LooksOn />
          <Problem error={make.error ?? quote.error} />
          <button class="primary large" disabled={make.running || current === undefined || may === false}>
            {make.running
              ? 'Sending…'
              : `Make it for ${current === undefined ? '…' : money(current.priceMicro)}`}
          </button>
          <div class="row">
            <span class="soft">As curl</span>
            <CopyButton text={commandOf(body)} what="the call as curl" />
          </div>
          <RememberSwitch onForget={() => setPrompt('')} />
        </form>
        <section class="card stack stage" aria-label="Result">
          {jobId === null ? (
            <div class="empty">
              <p class="strong">It will be shown here</p>
              <p>You pay when the work is accepted, and get a refund if it fails.</p>
            </div>
          ) : job === undefined ? (
            jobError === undefined && <Loading />
          ) : (
            <JobView
              id={jobId}
              job={job}
              prompt={own?.prompt}
              chargeId={own?.chargeId ?? before.data?.find(({ id }) => id === jobId)?.chargeId}
              onCancelled={reload}
            />
          )}
          <Problem error={job === undefined ? jobError : undefined} />
        </section>
      </div>
      <History kind={kind} made={before} onOpen={(id) => setAddress({ job: id }, 'push')} />
    </>
  );
};

/** One form for images and videos, with different models. */
export const MediaStudio = ({ kind }: { readonly kind: Kind }) => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  const person = useLoaded(askAccount, []);
  const models = data?.models.filter(({ mode }) => MODES[kind].includes(mode));
  return (
    <>
      <h1>Studio</h1>
      <StudioTabs at={`studio/${kind}`} />
      <Problem error={error ?? person.error} />
      {models === undefined || person.data === undefined
        ? (error ?? person.error) === undefined && <Loading />
        : null}
      {models?.length === 0 ? <p class="notice">No model for {kind}s is offered here.</p> : null}
      {models === undefined || models.length === 0 || person.data === undefined ? null : (
        <Workbench kind={kind} models={models} account={person.data.id} />
      )}
    </>
  );
};
