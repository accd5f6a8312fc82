import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOOL = join(__dirname, '..', '..', 'tools', 'release', 'api-changes.mjs');

/** The parts of an OpenAPI document that the cases change. */
const documentOf = () => ({
  openapi: '3.1.0',
  paths: {
    '/v1/lamps': {
      get: {
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }] as object[],
        responses: {
          '200': {
            headers: { 'X-Total': { schema: { type: 'integer' } } } as Record<string, object>,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Lamp' } } },
          },
          '404': { content: {} },
        } as Record<string, object>,
        security: [{ key: [] }, { wallet: [] }] as object[],
      },
      post: {
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewLamp' } } },
        },
        responses: {},
      } as Record<string, unknown>,
    } as Record<string, Record<string, unknown>>,
    '/v1/old': { get: { responses: {} } },
  } as Record<string, Record<string, Record<string, unknown>>>,
  webhooks: {
    'lamp.lit': {
      post: { parameters: [{ name: 'signature', in: 'header', required: true, schema: { type: 'string' } }] },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
    schemas: {
      Lamp: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          made: { type: 'string', format: 'date-time' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Lamp' } },
          names: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      NewLamp: {
        type: 'object',
        required: [] as string[],
        properties: {
          colour: { type: 'string', enum: ['green', 'red'] },
          height: { type: 'number', maximum: 9 },
          note: {},
          tags: { type: 'array' },
          marks: { type: 'object' },
          bulb: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        },
      },
    } as Record<string, { required: string[]; properties: Record<string, Record<string, unknown>> }>,
  },
});

type Document = ReturnType<typeof documentOf>;
type Edit = (document: Document) => void;

const lamp = ({ components }: Document) => components.schemas['Lamp']!;
const newLamp = ({ components }: Document) => components.schemas['NewLamp']!;
const list = ({ paths }: Document) => paths['/v1/lamps']!['get'] as unknown as Listing;

interface Listing {
  parameters: object[];
  security: object[];
  deprecated?: boolean;
  responses: Record<string, { headers: Record<string, object> }>;
}

/** Breaking changes: the line of the report, an entry that names the change, and the change. */
const BREAKING: readonly (readonly [line: string, entry: string, edit: Edit])[] = [
  ['`GET /v1/old` is removed.', '`/v1/old` is gone', ({ paths }) => delete paths['/v1/old']],
  [
    'The query parameter `limit` is removed: `GET /v1/lamps`.',
    'no `limit`',
    (it) => (list(it).parameters = []),
  ],
  [
    'The query parameter `limit` has the `maximum` 50: `GET /v1/lamps`.',
    '`limit` is at most 50',
    (it) =>
      (list(it).parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }]),
  ],
  [
    'The query parameter `town` is new and required: `GET /v1/lamps`.',
    'send `town`',
    (it) => list(it).parameters.push({ name: 'town', in: 'query', required: true, schema: {} }),
  ],
  [
    'The route no longer takes `wallet`: `GET /v1/lamps`.',
    '`GET /v1/lamps` is for keys',
    (it) => list(it).security.pop(),
  ],
  ['The status 200 is removed: `GET /v1/lamps`.', 'no more 200', (it) => delete list(it).responses['200']],
  [
    'The header `X-Total` of the answer 200 is removed: `GET /v1/lamps`.',
    'no `X-Total`',
    (it) => (list(it).responses['200']!.headers = {}),
  ],
  [
    '`id` of the answer 200 is removed: `GET /v1/lamps`.',
    'no `id`',
    (it) => delete lamp(it).properties['id'],
  ],
  [
    '`id` of the answer 200 may be absent: `GET /v1/lamps`.',
    'perhaps no `id`',
    (it) => (lamp(it).required = []),
  ],
  [
    '`id` of the answer 200 may be `null`: `GET /v1/lamps`.',
    '`id` or null',
    (it) => (lamp(it).properties['id']!['type'] = ['string', 'null']),
  ],
  [
    '`colour` of the body is no longer `"red"`: `POST /v1/lamps`.',
    'the `colour` red',
    (it) => (newLamp(it).properties['colour']!['enum'] = ['green']),
  ],
  [
    '`height` of the body is required: `POST /v1/lamps`.',
    'send `height`',
    (it) => newLamp(it).required.push('height'),
  ],
  [
    '`height` of the body has the `maximum` 8: `POST /v1/lamps`.',
    '`height` is less',
    (it) => (newLamp(it).properties['height']!['maximum'] = 8),
  ],
  [
    '`bulb` of the body is no longer `integer`: `POST /v1/lamps`.',
    'a `bulb` is a text',
    (it) => (newLamp(it).properties['bulb']!['oneOf'] = [{ type: 'string' }]),
  ],
  [
    '`id` of the answer 200 may have any type: `GET /v1/lamps`.',
    'any `id`',
    (it) => delete lamp(it).properties['id']!['type'],
  ],
  [
    '`id` of the answer 200 may be `null`: `GET /v1/lamps`.',
    '`id` or null',
    (it) => (lamp(it).properties['id'] = { oneOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  [
    '`made` of the answer 200 no longer has the `format` `date-time`: `GET /v1/lamps`.',
    '`made` is a day',
    (it) => (lamp(it).properties['made']!['format'] = 'date'),
  ],
  [
    'The header `X-Total` of the answer 200 may be `string`: `GET /v1/lamps`.',
    '`X-Total` as text',
    (it) => (list(it).responses['200']!.headers = { 'X-Total': { schema: { type: 'string' } } }),
  ],
  [
    '`note` of the body is only `string`: `POST /v1/lamps`.',
    'a text in `note`',
    (it) => (newLamp(it).properties['note']!['type'] = 'string'),
  ],
  [
    '`parts[]` of the answer 200 may have any type: `GET /v1/lamps`.',
    'any `parts` of `/v1/lamps`',
    (it) => delete lamp(it).properties['parts']!['items'],
  ],
  [
    '`names.*` of the answer 200 may have any type: `GET /v1/lamps`.',
    'any `names` of `/v1/lamps`',
    (it) => (lamp(it).properties['names']!['additionalProperties'] = true),
  ],
  [
    '`tags[]` of the body is only `string`: `POST /v1/lamps`.',
    'texts in `tags` of `/v1/lamps`',
    (it) => (newLamp(it).properties['tags']!['items'] = { type: 'string' }),
  ],
  [
    '`marks.*` of the body is only `string`: `POST /v1/lamps`.',
    'texts in `marks` of `/v1/lamps`',
    (it) => (newLamp(it).properties['marks']!['additionalProperties'] = { type: 'string' }),
  ],
  [
    'The header `signature` of the event is removed: the event `lamp.lit`.',
    'no `signature` of `lamp.lit`',
    (it) => (it.webhooks['lamp.lit'].post.parameters = []),
  ],
  [
    'The header `signature` of the event may be absent: the event `lamp.lit`.',
    'perhaps no `signature` of `lamp.lit`',
    (it) => (it.webhooks['lamp.lit'].post.parameters[0]!.required = false),
  ],
  [
    'The `name` is `x-lamp-key`: the credential `key`.',
    'another header for the `key`',
    (it) => (it.components.securitySchemes.key.name = 'x-lamp-key'),
  ],
  [
    '`colour` of the body has another `not`: `POST /v1/lamps`.',
    'the `colour` red',
    (it) => (newLamp(it).properties['colour']!['not'] = { const: 'red' }),
  ],
];

const HARMLESS: readonly (readonly [line: string, edit: Edit])[] = [
  ['`PUT /v1/lamps` is new.', ({ paths }) => (paths['/v1/lamps']!['put'] = { responses: {} })],
  ['The status 451 is new: `GET /v1/lamps`.', (it) => (list(it).responses['451'] = { headers: {} })],
  ['The route is deprecated: `GET /v1/lamps`.', (it) => (list(it).deprecated = true)],
  [
    '`id` of the answer 200 is deprecated: `GET /v1/lamps`.',
    (it) => (lamp(it).properties['id']!['deprecated'] = true),
  ],
  ['`size` of the answer 200 is new: `GET /v1/lamps`.', (it) => (lamp(it).properties['size'] = {})],
  ['`size` of the body is new: `POST /v1/lamps`.', (it) => (newLamp(it).properties['size'] = {})],
  [
    '`colour` of the body may be `"blue"`: `POST /v1/lamps`.',
    (it) => (newLamp(it).properties['colour']!['enum'] = ['green', 'red', 'blue']),
  ],
  [
    '`height` of the body has the `maximum` 10: `POST /v1/lamps`.',
    (it) => (newLamp(it).properties['height']!['maximum'] = 10),
  ],
];

describe('npm run api-changes', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=A maintainer', '-c', 'user.email=maintainer@example.com', ...args],
      {
        cwd: folder,
      },
    );
  const write = (
    edits: readonly Edit[],
    entry = 'Nothing.',
    { section = 'Callers', part = 'You must' } = {},
  ) => {
    const document = documentOf();
    for (const edit of edits) edit(document);
    writeFileSync(join(folder, 'docs', 'openapi', 'agent.json'), JSON.stringify(document));
    writeFileSync(join(folder, 'docs', 'openapi', 'account.json'), JSON.stringify({ paths: {} }));
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      `# Changelog\n\n## Unreleased\n\n### ${section}\n\n**${part}**:\n\n- ${entry}\n`,
    );
  };
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'api-changes-'));
    mkdirSync(join(folder, 'docs', 'openapi'), { recursive: true });
    git('init', '--quiet');
    write([]);
    git('add', '.');
    git('commit', '--quiet', '--message', 'The first');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds nothing before the first release', () => {
    write([BREAKING[0]![2]]);

    expect(run('--check')).toEqual({ status: 0, text: '' });
    expect(run()).toEqual({ status: 0, text: 'No route has changed.\n' });
  });

  it('compares with the commit of the release in a clone without tags', () => {
    git('commit', '--quiet', '--amend', '--message', 'chore(release): 1.0.0');

    expect(run('--check').status).toBe(1);
    git('tag', 'v1.0.0');
  });

  it.each(BREAKING)('fails until the changelog names it: %s', (line, entry, edit) => {
    write([edit]);
    expect(run()).toEqual({ status: 0, text: expect.stringMatching(/^[*]{2}Breaking: .*[*]{2}:$/m) });
    expect(run('--check')).toEqual({ status: 1, text: expect.stringContaining(`\n- ${line}\n`) });

    const whole = `${entry}: \`/v1/lamps\``;
    write([edit], whole, { section: 'Operators' });
    expect(run('--check').status).toBe(1);
    write([edit], whole, { part: 'New and changed' });
    expect(run('--check').status).toBe(1);

    write([edit], whole);
    expect(run('--check')).toEqual({ status: 0, text: '' });
  });

  it.each(HARMLESS)('needs no name for it: %s', (line, edit) => {
    write([edit]);

    expect(run()).toEqual({ status: 0, text: expect.stringContaining(`\n- ${line}\n`) });
    expect(run().text).not.toContain('Breaking');
    expect(run('--check')).toEqual({ status: 0, text: '' });
  });

  it('does not take the same word in an entry about another route for the name of a field', () => {
    write([(it) => delete lamp(it).properties['id']], 'Send the `id` of `/v1/others`');

    expect(run('--check').status).toBe(1);
  });

  it('names breaking changes first, and takes any commit', () => {
    write([HARMLESS[0]![1], HARMLESS[2]![1], BREAKING[0]![2]]);
    git('commit', '--quiet', '--all', '--message', 'The second');

    expect(run('v1.0.0').text.match(/(?<=^[*]{2})\w+/gm)).toEqual(['Breaking', 'Deprecated', 'Added']);
    expect(run('HEAD').text).toBe('No route has changed.\n');
  });
});

interface RealDocument {
  security?: object[];
  paths: Record<string, Record<string, { parameters: Record<string, unknown>[]; security?: object[] }>>;
  components: { schemas: Record<string, { required: string[]; properties: Record<string, object> }> };
}

describe('npm run api-changes, for the documents of this service', () => {
  const DOCUMENTS = join(__dirname, '..', '..', 'docs', 'openapi');
  const agent = (): RealDocument =>
    JSON.parse(readFileSync(join(DOCUMENTS, 'agent.json'), 'utf8')) as RealDocument;
  const jobs = ({ paths }: RealDocument) => paths['/v1/agent/jobs']!;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'api-changes-'));
    cpSync(DOCUMENTS, join(folder, 'docs', 'openapi'), { recursive: true });
    for (const args of [
      ['init', '--quiet'],
      ['add', '.'],
      ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'The first'],
    ])
      execFileSync('git', args, { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const reportOf = (edit: (document: RealDocument) => void): string => {
    const document = agent();
    edit(document);
    writeFileSync(join(folder, 'docs', 'openapi', 'agent.json'), JSON.stringify(document));
    return execFileSync(process.execPath, [TOOL, 'HEAD'], { cwd: folder, encoding: 'utf8' });
  };
  /** Moves the parameters of an operation to its path, where they are valid for all its methods. */
  const moveParameters = (document: RealDocument, change: object = {}): void => {
    const { get } = jobs(document);
    const [limit, ...others] = get!.parameters;
    jobs(document)['parameters'] = [{ ...limit, ...change }, ...others] as never;
    get!.parameters = [];
  };
  /** Moves the security of an operation to the document, with another list of schemes. */
  const moveSecurity = (document: RealDocument, change: (all: object[]) => object[]): void => {
    const { get } = jobs(document);
    document.security = change(get!.security!);
    delete get!.security;
  };

  it.each([
    ['parameters of a path', (it: RealDocument) => moveParameters(it)],
    ['security of the document', (it: RealDocument) => moveSecurity(it, (all) => all)],
  ])('finds no change when an operation inherits the same: %s', (_, edit) => {
    expect(reportOf(edit)).toBe('No route has changed.\n');
  });

  it.each<[string, (document: RealDocument) => void]>([
    [
      'The query parameter `limit` is required: `GET /v1/agent/jobs`.',
      (it) => moveParameters(it, { required: true }),
    ],
    [
      'The query parameter `limit` is removed: `GET /v1/agent/jobs`.',
      (it) => {
        moveParameters(it);
        (jobs(it)['parameters'] as unknown as object[]).shift();
      },
    ],
    [
      'The route no longer takes `walletSignIn`: `GET /v1/agent/jobs`.',
      (it) => moveSecurity(it, (all) => all.filter((one) => !('walletSignIn' in one))),
    ],
    [
      'The route no longer takes `no credential`: `GET /v1/agent/status`.',
      (it) => (it.paths['/v1/agent/status']!['get']!.security = [{ apiKey: [] }]),
    ],
    [
      '`label` of the body is removed: `POST /v1/agent/references`.',
      ({ components: { schemas } }) =>
        Object.assign(schemas['NewReferenceBody']!.properties['label']!, { readOnly: true }),
    ],
    [
      '`asset` of the answer 201 is removed: `POST /v1/agent/references`.',
      ({ components: { schemas } }) =>
        Object.assign(schemas['StoredReferenceAnswer']!.properties['asset']!, { writeOnly: true }),
    ],
  ])('finds a breaking change: %s', (line, edit) => {
    const report = reportOf(edit);

    expect(report).toMatch(/^[*]{2}Breaking: /);
    expect(report).toContain(`\n- ${line}\n`);
  });

  it('does not ask callers for a new required field that they never send', () => {
    const report = reportOf(({ components: { schemas } }) => {
      schemas['NewReferenceBody']!.properties['madeAt'] = { type: 'string', readOnly: true };
      schemas['NewReferenceBody']!.required.push('madeAt');
    });

    expect(report).toBe('No route has changed.\n');
  });
});
