// Compares two versions of the OpenAPI documents, for callers. A change is `breaking` if a program that worked before may
// fail after it. It is `deprecated`, `added` or `changed` otherwise.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'contentMediaType'];
/** Rules that are compared as a whole: any change of one may refuse what was valid. */
const RULES = [
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'prefixItems',
  'contains',
];
/** The names of alternatives that a typed program can't skip, as it can skip an unknown kind of object. */
const PLAIN = /^(?:null|string|number|integer|boolean|array|any)\b/;

const code = (text) => `\`${text}\``;
const codes = (values) => values.map((value) => code(value)).join(', ');
const less = (from, without) => from.filter((value) => !without.includes(value));

/** Follows references, and joins the parts of `allOf`. */
const resolved = (schema, document) => {
  const { $ref, allOf, ...own } = schema ?? {};
  const target = $ref?.split('/').reduce((part, name) => (name === '#' ? document : part?.[name]), document);
  return [target, ...(allOf ?? [])]
    .filter(Boolean)
    .map((part) => resolved(part, document))
    .reduceRight(
      (whole, part) => ({
        ...part,
        ...whole,
        properties: { ...part.properties, ...whole.properties },
        required: [...(part.required ?? []), ...(whole.required ?? [])],
      }),
      own,
    );
};

/** The fields that a caller sends or receives: a `readOnly` field is never sent, and a `writeOnly` one never answered. */
const fieldsOf = ({ properties = {} }, document, isSent) =>
  Object.fromEntries(
    Object.entries(properties).filter(
      ([, field]) => resolved(field, document)[isSent ? 'readOnly' : 'writeOnly'] !== true,
    ),
  );

const typesOf = ({ type, properties }) => [
  ...new Set([type ?? (Object.keys(properties ?? {}).length > 0 ? 'object' : [])].flat()),
];
/** Whether any object is valid. */
const isOpen = (schema) =>
  (typesOf(schema).length === 0 || typesOf(schema).includes('object')) &&
  Object.keys(schema.properties ?? {}).length === 0 &&
  [undefined, true].includes(schema.additionalProperties) &&
  !['oneOf', 'anyOf', 'enum', 'const'].some((one) => one in schema);
const valuesOf = (schema) =>
  ('const' in schema ? [schema.const] : schema.enum)?.map((value) => JSON.stringify(value));

/** Alternatives that mean the same have the same name. */
const nameOf = (schema, document) => {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  const { properties = {}, ...whole } = resolved(schema, document);
  const kind = properties.type?.const ?? properties.type?.enum?.join() ?? properties.role?.const;
  return (
    kind ??
    ([typesOf({ ...whole, properties }), whole.format, valuesOf(whole)].flat().filter(Boolean).join(' ') ||
      'any')
  );
};
const alternativesOf = (schema, document) =>
  Object.fromEntries((schema.oneOf ?? schema.anyOf ?? []).map((one) => [nameOf(one, document), one]));

/** The alternatives of both versions by their names. A schema without any is the one alternative of its kind. */
const kindsOf = (schemas, versions, documents) => {
  const both = versions.map((version, index) => alternativesOf(version, documents[index]));
  if (both.every((kinds) => Object.keys(kinds).length === 0)) return both;
  return both.map((kinds, index) => {
    if (Object.keys(kinds).length > 0) return kinds;
    const other = 1 - index;
    const types = typesOf(versions[index]).join();
    const like = Object.keys(both[other]).find(
      (name) => typesOf(resolved(both[other][name], documents[other])).join() === types,
    );
    return { [like ?? nameOf(schemas[index], documents[index])]: schemas[index] };
  });
};

/**
 * Compares a schema that callers send (`isSent`) or receive. Without a schema, any value is valid. `place` is the text for
 * a field of it.
 */
const compareSchemas = (before, after, { isSent, documents, add, place }, path = '', open = []) => {
  if (before === undefined && after === undefined) return;
  const pair = `${before?.$ref} ${after?.$ref}`;
  if ((before?.$ref ?? after?.$ref) !== undefined && open.includes(pair)) return;
  const context = { isSent, documents, add, place };
  const within = (a, b, field) => compareSchemas(a, b, context, field, [...open, pair]);
  const [old, now] = [resolved(before, documents[0]), resolved(after, documents[1])];
  const [oldKinds, kinds] = kindsOf([before ?? {}, after ?? {}], [old, now], documents);
  const here = place(path);
  const name = path
    .split(/[.[\]]+/)
    .filter((part) => part !== '' && part !== '*')
    .at(-1);
  const say = (kind, text) => add(kind, text, name === undefined ? [] : [name]);

  const compareKinds = () => {
    const lost = less(Object.keys(oldKinds), Object.keys(kinds));
    const fresh = less(Object.keys(kinds), Object.keys(oldKinds));
    if (lost.length > 0) say(isSent ? 'breaking' : 'changed', `${here} is no longer ${codes(lost)}`);
    const plain = isSent ? [] : fresh.filter((kind) => PLAIN.test(kind));
    if (plain.length > 0) say('breaking', `${here} may be ${codes(plain)}`);
    const others = less(fresh, plain);
    if (others.length > 0) say(isSent ? 'added' : 'changed', `${here} may be ${codes(others)}`);
    for (const kind of Object.keys(kinds).filter((one) => one in oldKinds))
      within(oldKinds[kind], kinds[kind], path);
  };

  if (isSent && isOpen(now) && !isOpen(old)) {
    say('changed', `${here} takes any fields`);
    return;
  }
  if (Object.keys(oldKinds).length + Object.keys(kinds).length > 0) {
    compareKinds();
    return;
  }
  const [gone, more] = [less(typesOf(old), typesOf(now)), less(typesOf(now), typesOf(old))];
  const isWider = typesOf(now).length === 0 || (gone.join() === 'integer' && more.join() === 'number');
  if (isSent && gone.length > 0 && !isWider) say('breaking', `${here} is no longer ${codes(gone)}`);
  if (isSent && more.length > 0 && typesOf(old).length === 0)
    say('breaking', `${here} is only ${codes(more)}`);
  if (!isSent && more.length > 0 && typesOf(old).length > 0) say('breaking', `${here} may be ${codes(more)}`);
  if (!isSent && gone.length > 0 && typesOf(now).length === 0) {
    say('breaking', `${here} may have any type`);
    return;
  }
  if (isSent && more.length > 0 && typesOf(old).length > 0) say('added', `${here} may be ${codes(more)}`);

  const [oldValues, values] = [valuesOf(old), valuesOf(now)];
  if (isSent && values !== undefined && oldValues === undefined)
    say('breaking', `${here} is only ${codes(values)}`);
  if (oldValues !== undefined && values !== undefined) {
    const [lost, fresh] = [less(oldValues, values), less(values, oldValues)];
    if (lost.length > 0) say(isSent ? 'breaking' : 'changed', `${here} is no longer ${codes(lost)}`);
    if (fresh.length > 0) say(isSent ? 'added' : 'changed', `${here} may be ${codes(fresh)}`);
  }
  if (!isSent && oldValues !== undefined && values === undefined)
    say('changed', `${here} may have any value`);
  if (!isSent && old.format !== undefined && old.format !== now.format)
    say('breaking', `${here} no longer has the \`format\` ${code(old.format)}`);
  if (isSent) {
    for (const rule of RULES.filter((one) => JSON.stringify(old[one]) !== JSON.stringify(now[one])))
      if (now[rule] === undefined) say('changed', `${here} has no ${code(rule)}`);
      else say('breaking', `${here} has another ${code(rule)}`);
    for (const limit of [...LEAST, ...MOST].filter((one) => old[one] !== now[one])) {
      const sign = LEAST.includes(limit) ? 1 : -1;
      const isTighter = now[limit] !== undefined && !(sign * now[limit] < sign * old[limit]);
      const words = now[limit] === undefined ? `no ${code(limit)}` : `the ${code(limit)} ${now[limit]}`;
      say(isTighter ? 'breaking' : 'changed', `${here} has ${words}`);
    }
    for (const form of FORMS.filter((one) => old[one] !== now[one]))
      if (now[form] !== undefined && now[form] !== false)
        say('breaking', `${here} has the ${code(form)} ${code(now[form])}`);
      else say('changed', `${here} has no ${code(form)}`);
    if (JSON.stringify(old.default) !== JSON.stringify(now.default))
      say(
        'changed',
        `${here} has ${now.default === undefined ? 'no default' : `the default ${code(JSON.stringify(now.default))}`}`,
      );
    if (now.additionalProperties === false && old.additionalProperties !== false)
      say('breaking', `${here} takes no other fields`);
  }

  const at = (field) => (path === '' ? field : `${path}.${field}`);
  const [oldFields, fields] = [old, now].map((one, index) => fieldsOf(one, documents[index], isSent));
  const [oldRequired, required] = [old.required ?? [], now.required ?? []];
  for (const field of less(Object.keys(oldFields), Object.keys(fields)))
    add('breaking', `${place(at(field))} is removed`, [field]);
  for (const field of less(Object.keys(fields), Object.keys(oldFields)))
    if (isSent && required.includes(field))
      add('breaking', `${place(at(field))} is new and required`, [field]);
    else add('added', `${place(at(field))} is new`, [field]);
  for (const field of Object.keys(oldFields).filter((one) => one in fields)) {
    const [was, is] = [oldRequired.includes(field), required.includes(field)];
    if (isSent && is && !was) add('breaking', `${place(at(field))} is required`, [field]);
    if (isSent && was && !is) add('changed', `${place(at(field))} is optional`, [field]);
    if (!isSent && was && !is) add('breaking', `${place(at(field))} may be absent`, [field]);
    if (fields[field].deprecated === true && oldFields[field].deprecated !== true)
      add('deprecated', `${place(at(field))} is deprecated`, [field]);
    within(oldFields[field], fields[field], at(field));
  }

  within(old.items, now.items, `${path}[]`);
  const others = [old, now].map(({ additionalProperties }) => additionalProperties);
  if (!others.includes(false) && others.some((one) => typeof one === 'object'))
    within(...others.map((one) => (one === true ? undefined : one)), at('*'));
};

const fieldOf = (whole) => (path) => (path === '' ? whole : `${code(path)} of ${whole}`);

const compareBodies = (before, after, context) => {
  const [oldTypes, types] = [before?.content ?? {}, after?.content ?? {}];
  const lost = less(Object.keys(oldTypes), Object.keys(types));
  const fresh = less(Object.keys(types), Object.keys(oldTypes));
  if (lost.length > 0) context.add('breaking', `${context.place('')} is no longer ${codes(lost)}`, lost);
  if (fresh.length > 0) context.add('added', `${context.place('')} may be ${codes(fresh)}`, fresh);
  for (const type of Object.keys(types).filter((one) => one in oldTypes))
    compareSchemas(oldTypes[type].schema, types[type].schema, context);
};

const compareParameters = (old, now, documents, add) => {
  const byName = ({ parameters }, document) =>
    Object.fromEntries(
      parameters.map((one) => resolved(one, document)).map((one) => [`${one.in} ${one.name}`, one]),
    );
  const [before, after] = [byName(old, documents[0]), byName(now, documents[1])];
  for (const { name, in: place } of less(Object.keys(before), Object.keys(after)).map((key) => before[key]))
    add('breaking', `the ${place} parameter ${code(name)} is removed`, [name]);
  for (const [key, { name, in: place, required, deprecated, schema }] of Object.entries(after)) {
    const text = `the ${place} parameter ${code(name)}`;
    const was = before[key];
    if (was === undefined && required === true) add('breaking', `${text} is new and required`, [name]);
    else if (was === undefined) add('added', `${text} is new`, [name]);
    else {
      if (required === true && was.required !== true) add('breaking', `${text} is required`, [name]);
      if (deprecated === true && was.deprecated !== true) add('deprecated', `${text} is deprecated`, [name]);
      const named = (kind, change) => add(kind, change, [name]);
      compareSchemas(was.schema, schema, { isSent: true, documents, add: named, place: () => text });
    }
  }
};

/** Compares headers that callers receive, by their names. */
const compareHeaders = (before = {}, after = {}, whole, documents, add) => {
  const [old, now] = [before, after].map((headers, index) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, resolved(header, documents[index])]),
    ),
  );
  const textOf = (name) => `the header ${code(name)} of ${whole}`;
  for (const name of less(Object.keys(old), Object.keys(now)))
    add('breaking', `${textOf(name)} is removed`, [name]);
  for (const name of less(Object.keys(now), Object.keys(old))) add('added', `${textOf(name)} is new`, [name]);
  for (const name of Object.keys(now).filter((one) => one in old)) {
    if (old[name].required === true && now[name].required !== true)
      add('breaking', `${textOf(name)} may be absent`, [name]);
    compareSchemas(old[name].schema, now[name].schema, {
      isSent: false,
      documents,
      add: (kind, change) => add(kind, change, [name]),
      place: () => textOf(name),
    });
  }
};

const compareAnswers = (old, now, documents, add) => {
  const [before, after] = [old.responses ?? {}, now.responses ?? {}];
  for (const status of less(Object.keys(before), Object.keys(after)))
    add(status.startsWith('2') ? 'breaking' : 'changed', `the status ${status} is removed`, [status]);
  for (const [status, answer] of Object.entries(after)) {
    const was = before[status];
    if (was === undefined) add('added', `the status ${status} is new`, [status]);
    else {
      const whole = status.startsWith('2') ? `the answer ${status}` : 'an error';
      compareHeaders(was.headers, answer.headers, whole, documents, add);
      compareBodies(was, answer, { isSent: false, documents, add, place: fieldOf(whole) });
    }
  }
};

const compareOperations = (old, now, documents, add) => {
  if (now.deprecated === true && old.deprecated !== true) add('deprecated', 'the route is deprecated', []);
  const schemes = ({ security }) =>
    (security.length === 0 ? [{}] : security).map(
      (one) => Object.keys(one).sort().join(' and ') || 'no credential',
    );
  const [lost, fresh] = [less(schemes(old), schemes(now)), less(schemes(now), schemes(old))];
  if (lost.length > 0) add('breaking', `the route no longer takes ${codes(lost)}`, []);
  if (fresh.length > 0) add('added', `the route takes ${codes(fresh)}`, []);
  compareParameters(old, now, documents, add);
  const isRequired = ({ requestBody }) => requestBody?.required === true;
  if (isRequired(now) && !isRequired(old)) add('breaking', 'the body is required', []);
  compareBodies(old.requestBody, now.requestBody, {
    isSent: true,
    documents,
    add,
    place: fieldOf('the body'),
  });
  compareAnswers(old, now, documents, add);
};

/**
 * The operations of several documents by their names. An operation inherits the parameters of its path and the security
 * of its document. Its own parameters come last, so they replace inherited ones with the same name.
 */
const operationsIn = (documents) =>
  Object.fromEntries(
    documents.flatMap((document) =>
      Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
        METHODS.filter((method) => method in item).map((method) => [
          `${method.toUpperCase()} ${path}`,
          {
            operation: {
              ...item[method],
              security: item[method].security ?? document.security ?? [],
              parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
            },
            document,
            path,
          },
        ]),
      ),
    ),
  );

const eventsIn = (documents) =>
  Object.fromEntries(
    documents.flatMap((document) =>
      Object.entries(document.webhooks ?? {}).map(([name, item]) => [
        name,
        { operation: item.post, document },
      ]),
    ),
  );

const compareEvents = (old, now, documents, add) => {
  const [before, after] = [old, now].map(({ parameters = [] }) =>
    Object.fromEntries(parameters.map((one) => [one.name, one])),
  );
  compareHeaders(before, after, 'the event', documents, add);
  compareBodies(old.requestBody, now.requestBody, {
    isSent: false,
    documents,
    add,
    place: fieldOf('the event'),
  });
};

const credentialsIn = (documents) =>
  Object.fromEntries(
    documents.flatMap((document) =>
      Object.entries(document.components?.securitySchemes ?? {}).map(([name, operation]) => [
        name,
        { operation, document },
      ]),
    ),
  );

/** How a credential is sent, such as the name of its header. */
const compareCredentials = (old, now, _documents, add) => {
  for (const field of ['type', 'in', 'name', 'scheme'].filter((one) => old[one] !== now[one]))
    add('breaking', `the ${code(field)} is ${code(now[field] ?? 'absent')}`, []);
};

/**
 * All changes between two lists of documents. `names` are the words by which a changelog names a change: its field, its
 * header or its status, or else the path of its route. `paths` are the paths of all its routes.
 */
export const apiChanges = (before, after) => {
  const changes = new Map();
  const adder = (where, path) => (kind, text, names) => {
    const key = `${kind} ${text}`;
    const change = changes.get(key) ?? { kind, text, where: [], paths: [], names };
    changes.set(key, change);
    if (!change.where.includes(where)) change.where.push(where);
    if (!change.paths.includes(path)) change.paths.push(path);
    if (names.length === 0) change.names = change.paths;
  };
  const compareAll = (read, label, compare) => {
    const [old, now] = [read(before), read(after)];
    for (const name of less(Object.keys(old), Object.keys(now)))
      adder(label(name), old[name].path ?? name)('breaking', `removed`, []);
    for (const [name, { operation, document, path = name }] of Object.entries(now)) {
      const was = old[name];
      if (was === undefined) adder(label(name), path)('added', `new`, []);
      else compare(was.operation, operation, [was.document, document], adder(label(name), path));
    }
  };
  compareAll(operationsIn, code, compareOperations);
  compareAll(eventsIn, (name) => `the event ${code(name)}`, compareEvents);
  compareAll(credentialsIn, (name) => `the credential ${code(name)}`, compareCredentials);
  return [...changes.values()];
};

const KINDS = {
  breaking: 'Breaking: a program that worked before may fail',
  deprecated: 'Deprecated',
  added: 'Added',
  changed: 'Changed',
};
const WHERE_MAX = 3;

const whereOf = ({ where }) =>
  where.length <= WHERE_MAX
    ? where.join(', ')
    : `${where.slice(0, WHERE_MAX).join(', ')} and ${where.length - WHERE_MAX} more`;

/** Routes that came or went are one line each; all others are grouped by what changed. */
const linesOf = (change) =>
  /^(?:new|removed)$/.test(change.text)
    ? change.where.map((where) => `- ${where} is ${change.text}.`)
    : [`- ${change.text[0].toUpperCase()}${change.text.slice(1)}: ${whereOf(change)}.`];

/** The changes as a part of a changelog, breaking ones first. */
export const changesText = (changes) =>
  Object.entries(KINDS)
    .map(([kind, title]) => [title, changes.filter((change) => change.kind === kind).flatMap(linesOf)])
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `**${title}**:\n\n${lines.join('\n')}\n`)
    .join('\n');

/** Splits the part for callers in a changelog's newest section into its entries. */
const entriesIn = (changelog) => {
  const [, newest = ''] = changelog.split(/^## /m);
  const callers = newest.split(/^### /m).find((part) => part.startsWith('Callers\n')) ?? '';
  return callers.split(/^(?=\*\*)/m).flatMap((list) =>
    list
      .split(/^- /m)
      .slice(1)
      .map((text) => ({ text, isDuty: list.startsWith('**You must**') })),
  );
};

/** Whether an entry has this word: a status anywhere, and other names as code. */
const hasName = (entry, name) => {
  const text = /^\d/.test(name) ? entry : (entry.match(/`[^`]+`/g) ?? []).join(' ');
  return new RegExp(`(?<![\\w/-])${name.replaceAll(/\W/g, '\\$&')}(?![\\w/-])`).test(text);
};

/**
 * Breaking changes that no entry for callers names. The entry is in the list "You must" or begins with "Security". It
 * also names the route, unless many routes change alike: a text about another route may contain the same word. Before a
 * new major version only an entry about security may name a change.
 */
export const unnamedBreaks = (changes, changelog, isMajor) => {
  const entries = entriesIn(changelog)
    .filter(({ text, isDuty }) => text.startsWith('**Security**') || (isMajor && isDuty))
    .map(({ text }) => text);
  const isNamed = ({ names, paths }) =>
    names === paths
      ? paths.every((path) => entries.some((entry) => hasName(entry, path)))
      : entries.some(
          (entry) =>
            names.every((name) => hasName(entry, name)) &&
            (paths.length > WHERE_MAX || paths.some((path) => hasName(entry, path))),
        );
  return changes.filter((change) => change.kind === 'breaking' && !isNamed(change));
};
