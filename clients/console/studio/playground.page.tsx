import { useEffect, useRef, useState } from 'preact/hooks';

import { askAccount } from '../parts/allowed.tsx';
import { call, send } from '../parts/api.ts';
import type { ShownCall, Values } from '../parts/call-code.ts';
import { count, labelsOf, money } from '../parts/format.ts';
import { Markdown } from './markdown.tsx';
import { Medium } from './medium.tsx';
import { CallCode } from '../models/model-code.tsx';
import { type ListedModel, listOf } from '../models/model-facts.ts';
import { ParameterField } from './parameter-field.tsx';
import { usePayer } from '../keys/paying-key.tsx';
import {
  type Parameters,
  type Route,
  TEXT_ROUTES,
  attachments,
  bodyFor,
  carriedOptions,
  firstBody,
  leftOut,
  limitOf,
  parametersOf,
  promptOf,
  quoteBodyOf,
  routeFor,
  systemOf,
  toolOf,
  withFiles,
  withPrompt,
  withSystem,
} from './playground.ts';
import { type Quoted, useQuotes } from './quotes.ts';
import { RememberSwitch } from './remember-switch.tsx';
import { useRemembered } from './remembered.ts';
import { type Outcome, sendCall } from './sending.ts';
import { balanceChanged, facts, show } from '../parts/shell.tsx';
import { readDataUri } from './inputs.ts';
import { StudioTabs } from './studio-tabs.tsx';
import { Code, Field, Loading, Problem, Select } from '../parts/ui.tsx';
import { useAction, useAddress, useLoaded } from '../parts/use.ts';

const MODELS_MAX = 4;

/** The state that this page keeps in the browser. It never contains a result or a key. */
interface Work {
  readonly path: string;
  readonly body: Values;
  /** The other models, beside the one in the body. */
  readonly others: readonly string[];
}

interface Run {
  readonly model: ListedModel;
  readonly text?: string;
  readonly outcome?: Outcome;
  readonly error?: Error;
  readonly seconds?: number;
}

/** `randomUUID` is not available over plain http. */
const newMark = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

const parse = (text: string): Values | string => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Values)
      : 'The body is an object.';
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
};

/** The body as text. It follows the form, and the form follows the text while it is valid JSON. */
const JsonEditor = ({
  body,
  onChange,
  onWrong,
}: {
  readonly body: Values;
  readonly onChange: (body: Values) => void;
  readonly onWrong: (isWrong: boolean) => void;
}) => {
  const pretty = JSON.stringify(body, null, 2);
  const [text, setText] = useState(pretty);
  const typed = useRef(pretty);
  const read = parse(text);
  const error = typeof read === 'string' ? read : undefined;
  useEffect(() => {
    // While the body equals the typed text, the text keeps its layout.
    if (typed.current === pretty) return;
    typed.current = pretty;
    setText(pretty);
  }, [pretty]);
  useEffect(() => onWrong(error !== undefined), [error]);
  return (
    <Field label="JSON" error={error} hint="Edit the form or this text: each follows the other.">
      {(ids) => (
        <textarea
          {...ids}
          class="mono"
          rows={Math.min(24, Math.max(8, text.split('\n').length))}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            const next = parse(value);
            if (typeof next === 'string') return;
            typed.current = JSON.stringify(next, null, 2);
            onChange(next);
          }}
        />
      )}
    </Field>
  );
};

const groupsOf = (models: readonly ListedModel[]) =>
  (['text', 'image', 'video'] as const).map((kind) => ({
    kind,
    models: models.filter((model) => model.kind === kind),
  }));

const ModelChoice = ({
  models,
  value,
  onChoose,
}: {
  readonly models: readonly ListedModel[];
  readonly value: string;
  readonly onChoose: (model: ListedModel) => void;
}) => {
  const labelOf = labelsOf(models);
  return (
    <Field label="Model">
      {(ids) => (
        <select
          {...ids}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = models.find(({ id }) => id === currentTarget.value);
            if (chosen !== undefined) onChoose(chosen);
          }}
        >
          {groupsOf(models).map(({ kind, models: some }) =>
            some.length === 0 ? null : (
              <optgroup key={kind} label={`${kind[0]!.toUpperCase()}${kind.slice(1)}`}>
                {some.map((model) => (
                  <option key={model.id} value={model.id}>
                    {labelOf(model)} ({model.makes})
                  </option>
                ))}
              </optgroup>
            ),
          )}
        </select>
      )}
    </Field>
  );
};

/** The choice of other models of the same kind, which get the same call. */
const Beside = ({
  models,
  chosen,
  labelOf,
  onChange,
}: {
  readonly models: readonly ListedModel[];
  readonly chosen: readonly ListedModel[];
  readonly labelOf: (model: ListedModel) => string;
  readonly onChange: (ids: readonly string[]) => void;
}) => {
  const ids = chosen.map(({ id }) => id);
  const free = models.filter(({ id }) => !ids.includes(id));
  return (
    <div class="stack">
      {chosen.length >= MODELS_MAX - 1 || free.length === 0 ? null : (
        <Select
          label="Compare with"
          choices={[
            { value: '', text: 'Add a model' },
            ...free.map((model) => ({ value: model.id, text: labelOf(model) })),
          ]}
          value=""
          onChoose={(id) => onChange([...ids, id])}
        />
      )}
      {chosen.length === 0 ? null : (
        <ul class="plain row">
          {chosen.map((model) => (
            <li key={model.id}>
              <button
                type="button"
                class="small"
                aria-label={`Remove ${labelOf(model)}`}
                onClick={() => onChange(ids.filter((one) => one !== model.id))}
              >
                {labelOf(model)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const Result = ({
  run: { text, outcome, error, seconds },
  label,
  left,
}: {
  readonly run: Run;
  readonly label: string;
  readonly left: readonly string[];
}) => {
  const isRunning = outcome === undefined && error === undefined;
  const { medium, json, costMicro, chargeId, tokens } = outcome ?? {};
  const shown = outcome?.text ?? (isRunning ? text : undefined);
  return (
    <li class="card stack" aria-busy={isRunning}>
      <h3>{label}</h3>
      {left.length === 0 ? null : <p class="hint">Sent without {left.join(', ')}, which it does not take.</p>}
      <Problem error={error} />
      {isRunning && text === undefined ? <p class="soft">Waiting…</p> : null}
      {shown === undefined ? null : <Markdown text={shown} />}
      {medium === undefined ? null : (
        <Medium kind={medium.kind} url={medium.url} alt={`What ${label} made`} />
      )}
      {json === undefined ? null : (
        <Code text={JSON.stringify(json, null, 2)} what={`the answer of ${label}`} />
      )}
      {outcome === undefined ? null : (
        <p class="hint" data-test="cost">
          {costMicro === undefined ? 'No charge is decided yet.' : `Cost ${money(costMicro)}`}
          {tokens === undefined
            ? ''
            : `: ${count(tokens.input, 'token')} in, ${count(tokens.output, 'token')} out`}
          {seconds === undefined ? '' : `. ${seconds.toFixed(1)} s.`}{' '}
          {chargeId === undefined || chargeId === '' || !facts.signedIn ? null : (
            <a href={`account/billing?receipt=${encodeURIComponent(chargeId)}`}>Receipt</a>
          )}
        </p>
      )}
    </li>
  );
};

/** The price of each call, in the order of the models. */
interface Price {
  readonly micro: number;
  readonly quoteId: string | undefined;
}

const pricesOf = (
  quoted: readonly Quoted[] | undefined,
  models: readonly ListedModel[],
  route: Route,
  bodies: readonly Values[],
): readonly (Price | undefined)[] =>
  models.map((model, at) => {
    if (!route.isExact && model.text !== undefined) {
      return { micro: limitOf(model.text, bodies[at]!), quoteId: undefined };
    }
    const one = quoted?.[at];
    return one !== undefined && 'quote' in one
      ? { micro: one.quote.priceMicro, quoteId: one.quote.quoteId }
      : undefined;
  });

const Bench = ({
  models,
  parameters,
  account,
  mayPay,
}: {
  readonly models: readonly ListedModel[];
  readonly parameters: Parameters;
  readonly account: string;
  readonly mayPay: boolean;
}) => {
  const [address, setAddress] = useAddress();
  const first =
    models.find(({ id }) => id === address.get('model')) ??
    models.find(({ text }) => text?.default === true) ??
    models[0]!;
  const [kept, setWork] = useRemembered<Work>(`${account}.playground`, {
    path: TEXT_ROUTES[0]!.path,
    body: firstBody(first, 'Say hello in three languages.'),
    others: [],
  });
  const [files, setFiles] = useState<Readonly<Record<string, string>>>({});
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [isWrong, setWrong] = useState(false);
  const stop = useRef<AbortController | null>(null);
  const marks = useRef(new Map<string, string>());
  const { payer, field: payerField } = usePayer();

  const named = (kept.body['modelId'] ?? kept.body['model']) as unknown;
  const found = models.find(
    ({ id, media, text }) => id === named || (media ?? text)?.aliases?.includes(String(named)),
  );
  const model = found ?? first;
  const labelOf = labelsOf(models);
  const route = routeFor(model, kept.path);
  const { body } = kept;
  const others = kept.others.flatMap(
    (id) => models.find((one) => one.id === id && one.kind === model.kind) ?? [],
  );
  const all = [model, ...others.filter(({ id }) => id !== model.id)];
  const bodies = all.map((one, at) => bodyFor(one, route, body, at === 0));
  const quoted = useQuotes(route.isExact ? bodies.map((one, at) => quoteBodyOf(one, all[at]!.id)) : []);
  const prices = pricesOf(quoted, all, route, bodies);
  const total = prices.every((price) => price !== undefined)
    ? prices.reduce((sum, price) => sum + price!.micro, 0)
    : undefined;
  const wrongQuote = quoted?.find((one) => 'error' in one);
  const { shown, onlyJson } = parametersOf(parameters, route, model);

  const set = (next: Partial<Work>): void => setWork({ ...kept, ...next });
  const setField = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = body;
    set({ body: value === undefined ? rest : { ...body, [name]: value } });
  };
  const choose = (chosen: ListedModel, carried: Values = {}): void => {
    const isSameKind = (chosen.media === undefined) === (model.media === undefined);
    const next = isSameKind
      ? bodyFor(chosen, routeFor(chosen, kept.path), body, false)
      : firstBody(chosen, promptOf(body));
    const whole = Object.entries({ ...next, ...carried }).filter(([, value]) => value !== undefined);
    set({ body: Object.fromEntries(whole), others: isSameKind ? kept.others : [] });
    // The body has the options now. A reload must not undo later changes of them.
    const all = Object.fromEntries([...address.keys()].map((name) => [name, undefined]));
    setAddress({ ...all, model: chosen.id });
  };
  // A model in the address, for example from a link on its page, has priority over the stored state. So have options.
  useEffect(() => {
    if (first.id !== address.get('model')) return;
    const { model: _, ...inputs } = Object.fromEntries(address);
    if (Object.keys(inputs).length > 0) {
      choose(first, carriedOptions(first, inputs));
    } else if (first.id !== model.id) choose(first);
  }, []);

  const sent = useAction(async () => {
    if ('missing' in payer) throw new Error(payer.missing);
    const missing = bodies.flatMap(attachments).find((name) => files[name] === undefined);
    if (missing !== undefined) throw new Error(`Choose ${missing} again: a reload forgets files.`);
    const controller = new AbortController();
    stop.current = controller;
    const begun = all.map((one): Run => ({ model: one }));
    setRuns(begun);
    const update = (at: number, run: Partial<Run>): void =>
      setRuns((before) => before.map((one, place) => (place === at ? { ...one, ...run } : one)));
    await Promise.all(
      all.map(async (_, at) => {
        const price = prices[at];
        // If the route has quotes, the service charges the shown price. Otherwise the shown price is the limit.
        const limit = route.isExact
          ? { quoteId: price?.quoteId }
          : { maxPriceMicro: bodies[at]!['maxPriceMicro'] ?? price?.micro };
        const full = { ...withFiles(bodies[at]!, (name) => files[name] ?? name), ...limit };
        const text = `${route.path} ${payer.key ?? ''} ${JSON.stringify(full)}`;
        // A retry after a lost answer has the same idempotency key, so it is charged only once.
        const mark = marks.current.get(text) ?? newMark();
        marks.current.set(text, mark);
        const start = performance.now();
        try {
          const outcome = await sendCall({
            path: route.path,
            body: full,
            key: payer.key,
            mark,
            signal: controller.signal,
            onText: (words) => update(at, { text: words }),
          });
          marks.current.delete(text);
          update(at, { outcome, seconds: (performance.now() - start) / 1_000 });
        } catch (error) {
          const stopped = new Error('Stopped. The service charges the work that it has done.');
          update(at, { error: controller.signal.aborted ? stopped : (error as Error) });
        }
      }),
    );
    balanceChanged();
  });

  const priceText = total === undefined ? '…' : money(total);
  const attached = attachments(bodies[0]!);
  const shownCall: ShownCall = {
    base: facts.publicUrl,
    path: route.path,
    tool: toolOf(model, route),
    isPaidByX402: route.isExact,
    body: withFiles(bodies[0]!, (name) => `https://example.com/${encodeURIComponent(name)}`),
    price:
      prices[0] === undefined
        ? undefined
        : { micro: prices[0].micro, text: money(prices[0].micro), isExact: route.isExact },
  };
  const parameterFields = (isUsual: boolean) =>
    shown
      .filter((parameter) => parameter.isUsual === isUsual)
      .map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={body[parameter.name]}
          onChange={(value) => setField(parameter.name, value)}
          onFile={(file) =>
            void readDataUri(file).then((uri) => setFiles((before) => ({ ...before, [file.name]: uri })))
          }
        />
      ));
  return (
    <>
      <div class="playground">
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            void sent.run();
          }}
        >
          <ModelChoice models={models} value={model.id} onChoose={choose} />
          {found === undefined ? (
            <p class="notice">There is no model {String(named)}. Choose one, or correct the JSON.</p>
          ) : null}
          {model.media === undefined ? (
            <>
              <Select
                label="Price"
                choices={TEXT_ROUTES.map(({ path, name }) => ({ value: path, text: `${name}: ${path}` }))}
                value={route.path}
                onChoose={(path) => set({ path })}
              />
              <Field label="System prompt">
                {(ids) => (
                  <textarea
                    {...ids}
                    rows={2}
                    value={systemOf(body)}
                    onInput={({ currentTarget }) => set({ body: withSystem(body, currentTarget.value) })}
                  />
                )}
              </Field>
            </>
          ) : null}
          <Field label="Prompt">
            {(ids) => (
              <textarea
                {...ids}
                required
                rows={4}
                value={promptOf(body)}
                onInput={({ currentTarget }) => set({ body: withPrompt(body, model, currentTarget.value) })}
              />
            )}
          </Field>
          <div class="grid">{parameterFields(true)}</div>
          {model.media?.soundAlways === true ? <p class="hint">Its films always have sound.</p> : null}
          <details>
            <summary>More parameters</summary>
            <div class="stack">
              <div class="grid">{parameterFields(false)}</div>
              {onlyJson.length === 0 ? null : (
                <p class="hint">Only the JSON can hold {onlyJson.join(', ')}.</p>
              )}
            </div>
          </details>
          <Beside
            models={models.filter(({ kind, id }) => kind === model.kind && id !== model.id)}
            chosen={all.slice(1)}
            labelOf={labelOf}
            onChange={(ids) => set({ others: ids })}
          />
          {payerField}
          {mayPay ? null : (
            <p class="notice">Your role here spends nothing. Send with a key, or ask one of the owners.</p>
          )}
          <Problem error={sent.error ?? (wrongQuote === undefined ? undefined : wrongQuote.error)} />
          <div class="row">
            <button
              class="primary large"
              disabled={
                sent.running ||
                total === undefined ||
                isWrong ||
                found === undefined ||
                (!mayPay && 'key' in payer && payer.key === undefined)
              }
            >
              {sent.running
                ? 'Sending…'
                : `Send ${all.length > 1 ? `to ${all.length} models ` : ''}for ${route.isExact ? '' : 'at most '}${priceText}`}
            </button>
            {sent.running ? (
              <button type="button" class="danger" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            ) : null}
          </div>
        </form>
        <section class="card stack" aria-label="The call">
          <JsonEditor body={body} onChange={(next) => set({ body: next })} onWrong={setWrong} />
          <CallCode shown={shownCall} />
          {attached.length === 0 ? null : (
            <p class="hint">
              The code names an address where you chose {attached.join(', ')}. Put the address of your file
              there.
            </p>
          )}
          {route.isExact ? null : (
            <p class="hint">
              A wallet pays this route by a payment channel: see <a href="guides">the guides</a>. MCP and x402
              take the fixed price.
            </p>
          )}
          <RememberSwitch onForget={() => set({ body: firstBody(model, ''), others: [] })} />
        </section>
      </div>
      {runs.length === 0 ? null : (
        <section class="stack" aria-labelledby="results">
          <h2 id="results">Results</h2>
          <ul class="plain side-by-side" aria-live="polite">
            {runs.map((run, at) => (
              <Result
                key={run.model.id}
                run={run}
                label={labelOf(run.model)}
                left={at === 0 ? [] : leftOut(run.model, route, body)}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

const Playground = () => {
  const { data, error } = useLoaded(async (signal) => {
    const [catalog, parameters, person] = await Promise.all([
      call('get', '/v1/agent/models', { signal }),
      send('get', '/playground/parameters.json', { signal }).then((answer) => answer.json()),
      facts.signedIn ? askAccount() : undefined,
    ]);
    return {
      models: listOf(catalog, undefined),
      parameters: parameters as Parameters,
      account: person?.id ?? 'guest',
      mayPay: person?.organisation.may.includes('change /v1/agent') ?? true,
    };
  }, []);
  return (
    <>
      <h1>Playground</h1>
      {facts.signedIn ? <StudioTabs at="playground" /> : null}
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading rows={10} /> : <Bench {...data} />}
    </>
  );
};

show(<Playground />, { wide: true });
