const { readdirSync } = require('node:fs');

// The whole architecture in one list, lowest first: a module imports only from the rows above it, never sideways.
const NAMED = [
  ['kernel'],
  ['platform', 'models/conversation'],
  ['models/providers'],
  ['people/accounts', 'money/networks'],
  ['people/organisations'],
  ['people/keys'],
  ['models/catalog', 'people/identity'],
  ['money/billing/charges'],
  ['notices/outbox'],
  ['money/billing/ledger', 'money/billing/prices'],
  ['money/billing/rails'],
  ['money/billing/calls'],
  ['money/billing/transparency', 'money/billing/tracing'],
  ['money/billing/quotes', 'money/billing/receipts', 'money/billing/sweeps'],
  ['money/billing/billing.module'],
  ['money/margins'],
  ['notices/events'],
  [
    'work/references',
    'money/wallet',
    'money/credits',
    'work/jobs',
    'notices/webhooks',
    'notices/alerts',
    'people/delegation',
    'notices/requests',
  ],
  ['work/generation', 'work/chat', 'work/audio'],
  ['work/batches'],
  ['people/oauth'],
  ['faces/discovery'],
  ['faces/mcp', 'faces/console', 'faces/admin', 'faces/health'],
  ['faces/doctor'],
];

// Modules of teams have no row, and are above all that they sell by.
const OURS = new Set(NAMED.flat().map((name) => name.split('/')[0]));
const TEAMS = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !OURS.has(entry.name))
  .map(({ name }) => name);
const BELOW_TEAMS = 'work/batches';
if (!NAMED.flat().includes(BELOW_TEAMS)) throw new Error(`There is no row with ${BELOW_TEAMS}.`);
const LAYERS = NAMED.flatMap((row) => (row.includes(BELOW_TEAMS) && TEAMS.length > 0 ? [row, TEAMS] : [row]));

const fromHereDown = (level) => LAYERS.slice(level).flat().join('|');

const layering = LAYERS.flatMap((modules, level) =>
  modules.map((name) => ({
    name: `${name.replaceAll('/', '-')}-imports-only-lower-layers`,
    severity: 'error',
    from: { path: `^src/${name}[/.]` },
    to: { path: `^src/(${fromHereDown(level)})[/.]`, pathNot: `^src/${name}[/.]` },
  })),
);

module.exports = {
  forbidden: [
    ...layering,
    {
      name: 'no-cycles',
      comment: 'Not even of types: two files that need each other are one, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every-folder-has-a-layer',
      comment: 'A folder inside one of several rows, such as billing, must be given its own row.',
      severity: 'error',
      from: {},
      to: { path: '^src/.+/', pathNot: `^src/(${fromHereDown(0)})[/.]` },
    },
    {
      name: 'pure-kernel',
      comment:
        'No framework and no I/O in the kernel; js-sha3 and lru-cache are there for address checksums.',
      severity: 'error',
      from: { path: '^src/kernel/' },
      to: {
        dependencyTypes: ['npm', 'core'],
        pathNot: '(node_modules/(js-sha3|lru-cache)/|^crypto$|^node:crypto$)',
      },
    },
    {
      name: 'typeorm-stays-in-repositories',
      severity: 'error',
      from: { path: '^src/', pathNot: '(\\.(repository|entity|module)\\.ts$|^src/platform/database/)' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm)/' },
    },
    {
      name: 'the-ledger-is-private',
      comment: 'Only billing changes a balance; everyone else asks its services.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/money/billing/' },
      to: { path: '^src/money/billing/ledger/.*\\.repository\\.ts$' },
    },
    {
      name: 'pages-know-only-the-api',
      comment: 'What runs in the browser is a caller like any other: it imports Preact and its own files.',
      severity: 'error',
      from: { path: '^clients/console/' },
      to: { pathNot: '^(clients/console/|node_modules/preact/)' },
    },
    {
      name: 'pages-are-on-top',
      comment: 'A page uses the files of its folder and of other folders, and no file uses a page.',
      severity: 'error',
      from: { path: '^clients/console/' },
      to: { path: '^clients/console/.*\\.page\\.tsx$' },
    },
    {
      name: 'features-of-the-pages-form-no-circle',
      comment: 'A piece that two features need of each other belongs to one of them, or to parts.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^clients/console/' },
      to: { circular: true },
    },
    {
      name: 'the-service-runs-no-page',
      severity: 'error',
      from: { path: '^src/', pathNot: '^clients/console/' },
      to: { path: '^clients/console/' },
    },
    {
      name: 'the-outside-is-asked-in-one-way',
      comment:
        'By platform/http/outgoing: a server that closes while a reader has paused undici ends the process (ADR 156).',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/platform/http/outgoing/(held-connection|origin-call|origin-client|streamed-body|whole-answer)\\.ts$',
      },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'forms-are-parsed-in-one-place',
      comment:
        'By platform/http/body/multipart: each of its streams has an error listener for its whole life (ADR 81).',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/http/body/multipart\\.ts$' },
      to: { path: 'node_modules/@fastify/busboy/' },
    },
    {
      name: 'pictures-are-read-by-one-library',
      comment: 'By platform/media/image-library: it blocks all formats that no route sells (ADR 82).',
      severity: 'error',
      from: { path: '^src/', pathNot: '(^src/platform/media/image-library\\.ts$|\\.spec\\.ts$)' },
      to: { path: 'node_modules/sharp/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'media-are-read-in-a-child-process',
      comment: 'The scripts of child processes require this library by its path (ADR 83).',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: 'node_modules/mediabunny/' },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|tools|bench)/' },
    },
  ],
  required: [
    {
      name: 'imports-by-group-are-seen',
      severity: 'error',
      comment: 'If this fails, the check does not see `#` imports, and every rule about layers is blind.',
      module: { path: '^src/work/chat/chat\\.module\\.ts$' },
      to: { path: '^src/money/billing/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // `#` imports mean files of `src` here. By package.json they mean compiled files, which are not looked at.
    tsConfig: { fileName: 'tools/layers.tsconfig.json' },
    tsPreCompilationDeps: true,
    includeOnly: '^(src|migrations|clients/console|node_modules|crypto|node:)',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};
