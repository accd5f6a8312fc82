import { useEffect, useState } from 'preact/hooks';

import { send } from '../parts/api.ts';
import {
  type Document,
  type Entry,
  type Group,
  type Schema,
  exampleOf,
  fieldsOf,
  groupsOf,
  limitsOf,
  resolved,
  schemaOf,
  typeOf,
} from './openapi.ts';
import { facts, show } from '../parts/shell.tsx';
import { Code, Empty, Loading, Problem, Select, TextInput } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

const DOCUMENTS = [
  { value: 'agent', text: 'Agent API' },
  { value: 'account', text: 'Account API' },
  { value: 'extensions', text: 'Extensions' },
];

const DEPTH_MAX = 4;

/** Shows words in backticks as code. */
const Prose = ({ text = '' }: { readonly text?: string | undefined }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
);

/** The fields of an object, each with its type, its limits and its meaning. */
const Fields = ({ of, document, depth = 0 }: { of: Schema; document: Document; depth?: number }) => (
  <ul class="fields">
    {Object.entries(of.properties ?? {}).map(([name, schema]) => {
      const limits = limitsOf(schema, document);
      return (
        <li key={name}>
          <code class="strong">{name}</code>{' '}
          <span class="soft fine">
            {typeOf(schema, document)}
            {of.required?.includes(name) === true ? ', required' : ''}
            {limits === '' ? '' : `; ${limits}`}
          </span>{' '}
          <Prose text={resolved(schema, document).description} />
          {depth >= DEPTH_MAX
            ? null
            : fieldsOf(schema, document).map((inner, at) => (
                <Fields key={at} of={inner} document={document} depth={depth + 1} />
              ))}
        </li>
      );
    })}
  </ul>
);

const Body = ({ schema, document }: { schema: Schema | undefined; document: Document }) =>
  schema === undefined ? null : (
    <>
      {fieldsOf(schema, document).map((of, at) => (
        <Fields key={at} of={of} document={document} />
      ))}
    </>
  );

const curlOf = ({ method, path, operation }: Entry): string => {
  const example = exampleOf(operation.requestBody?.content);
  const sent = example === undefined ? '' : JSON.stringify(example).replaceAll("'", String.raw`'\''`);
  const isKeyed = operation.security?.some((one) => 'apiKey' in one) === true;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${facts.publicUrl}${path}'`,
    ...(isKeyed ? [`  -H "x-api-key: $LAMPPOST_KEY"`] : []),
    ...(sent === '' ? [] : [`  -H 'content-type: application/json'`, `  -d '${sent}'`]),
  ].join(' \\\n');
};

/** The full description of one route. It is rendered when the route is opened. */
const Details = ({ entry, document }: { entry: Entry; document: Document }) => {
  const { parameters = [], requestBody, responses, security = [], description } = entry.operation;
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const example = exampleOf(answer?.content);
  const names = security.flatMap((one) => Object.keys(one));
  const sent = schemaOf(requestBody?.content);
  return (
    <div class="stack">
      {description === undefined ? null : (
        <p>
          <Prose text={description} />
        </p>
      )}
      {names.length === 0 ? null : <p class="soft">Credentials: {names.join(', ')}.</p>}
      {entry.method === 'EVENT' ? null : (
        <Code text={curlOf(entry)} what={`${entry.operation.operationId} as curl`} />
      )}
      {parameters.length === 0 ? null : (
        <>
          <h4>Parameters</h4>
          <ul class="fields">
            {parameters.map(({ name, in: place, required, description: about, schema = {} }) => (
              <li key={`${place} ${name}`}>
                <code class="strong">{name}</code>{' '}
                <span class="soft fine">
                  in the {place}, {typeOf(schema, document)}
                  {required === true ? ', required' : ''}
                  {limitsOf(schema, document) === '' ? '' : `; ${limitsOf(schema, document)}`}
                </span>{' '}
                <Prose text={about} />
              </li>
            ))}
          </ul>
        </>
      )}
      {sent === undefined ? null : (
        <>
          <h4>Body</h4>
          <Body schema={sent} document={document} />
        </>
      )}
      {answer?.content === undefined ? null : (
        <>
          <h4>Answer</h4>
          <Body schema={schemaOf(answer.content)} document={document} />
          {example === undefined ? null : (
            <Code
              text={JSON.stringify(example, null, 2)}
              what={`an answer of ${entry.operation.operationId}`}
            />
          )}
        </>
      )}
      <h4>Statuses</h4>
      <ul class="fields">
        {Object.entries(responses).map(([status, { description: about }]) => (
          <li key={status}>
            <code class="strong">{status}</code> <Prose text={about} />
          </li>
        ))}
      </ul>
    </div>
  );
};

const Route = ({ entry, document }: { entry: Entry; document: Document }) => {
  const { operationId, summary = '' } = entry.operation;
  const isNamed = location.hash === `#${operationId}`;
  const [isOpen, setOpen] = useState(isNamed);
  return (
    <details
      id={operationId}
      class="route"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h3>
          <span class="method">{entry.method}</span> <code>{entry.path}</code>
        </h3>
        <span class="soft">
          <Prose text={summary} />
        </span>
      </summary>
      {isOpen ? <Details entry={entry} document={document} /> : null}
    </details>
  );
};

const matches = (words: readonly string[], { method, path, operation }: Entry): boolean => {
  const text = `${method} ${path} ${operation.operationId} ${operation.summary ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

const Groups = ({ groups, document }: { groups: readonly Group[]; document: Document }) =>
  groups.length === 0 ? (
    <Empty title="No route matches" />
  ) : (
    <>
      {groups.map(({ name, about, entries }) => (
        <section key={name} class="stack" aria-labelledby={`group-${name}`}>
          <h2 id={`group-${name}`}>{name[0]?.toUpperCase() + name.slice(1)}</h2>
          {about === '' ? null : <p class="soft">{about}</p>}
          {entries.map((entry) => (
            <Route key={entry.operation.operationId} entry={entry} document={document} />
          ))}
        </section>
      ))}
    </>
  );

/** Opens the route that the address names, at first and after a click on a link to a route. */
const useNamedRoute = (isReady: boolean): void => {
  useEffect(() => {
    if (!isReady) return undefined;
    const open = (): void => {
      const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!(found instanceof HTMLDetailsElement)) return;
      found.open = true;
      found.scrollIntoView();
    };
    open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [isReady]);
};

const Docs = () => {
  const [address, setAddress] = useAddress();
  const [typed, setTyped] = useState('');
  const shown = DOCUMENTS.find(({ value }) => value === address.get('api'))?.value ?? 'agent';
  const { data, error } = useLoaded(
    async (signal) => ({
      of: shown,
      document: (await (await send('get', `/v1/${shown}/openapi.json`, { signal })).json()) as Document,
    }),
    [shown],
  );
  const loaded = data?.of === shown ? data.document : undefined;
  useNamedRoute(loaded !== undefined);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = (loaded === undefined ? [] : groupsOf(loaded))
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => matches(words, entry)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <>
      <div class="head">
        <div>
          <h1>API docs</h1>
          <p>
            Every route with its fields. The <a href="guides">guides</a> show how to use them, and the OpenAPI
            document is at <a href={`v1/${shown}/openapi.json`}>/v1/{shown}/openapi.json</a>.
          </p>
        </div>
      </div>
      <div class="filters">
        <Select label="Document" choices={DOCUMENTS} value={shown} onChoose={(api) => setAddress({ api })} />
        <TextInput
          label="Find a route"
          type="search"
          value={typed}
          onInput={({ currentTarget: { value } }) => setTyped(value)}
        />
      </div>
      <Problem error={error} />
      {loaded === undefined ? (
        error === undefined && <Loading rows={8} />
      ) : (
        <>
          <p class="soft">
            <Prose text={loaded.info.description} />
          </p>
          <Groups groups={groups} document={loaded} />
        </>
      )}
    </>
  );
};

show(<Docs />, { wide: true });
