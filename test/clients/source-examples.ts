import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

const SOURCE = join(__dirname, '..', '..', 'clients', 'typescript', 'src');
/** The files whose exports belong to the package. */
const ENTRIES = ['lamppost.ts', 'ai.ts'];

export interface PublicMethod {
  /** The name as in documentation: `Lamppost.jobs.wait`. */
  readonly name: string;
  /** The code under `@example` in its comment. */
  readonly example: string | undefined;
}

const nameOf = (node: ts.NamedDeclaration): string => node.name?.getText() ?? '';

const methodAt = (name: string, node: ts.Node): PublicMethod => {
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'example');
  return { name, example: ts.getTextOfJSDocComment(tag?.comment) };
};

const modifiersOf = (node: ts.Node): readonly ts.SyntaxKind[] =>
  (ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []).map(({ kind }) => kind);

/** Internal parts are stripped from the types. */
const isPublic = (member: ts.ClassElement): boolean =>
  !(member.name !== undefined && ts.isPrivateIdentifier(member.name)) &&
  !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal') &&
  !modifiersOf(member).some((kind) => /^(Private|Protected)Keyword$/.test(ts.SyntaxKind[kind]));

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** The methods of a class, and those of its groups (`jobs.wait`). */
const methodsOf = (declared: ts.ClassDeclaration): readonly PublicMethod[] =>
  declared.members.filter(isPublic).flatMap((member) => {
    const name = `${nameOf(declared)}.${nameOf(member)}`;
    if (ts.isMethodDeclaration(member)) return methodAt(name, member);
    if (!ts.isPropertyDeclaration(member) || member.initializer === undefined) return [];
    if (isFunction(member.initializer)) return methodAt(name, member);
    if (!ts.isObjectLiteralExpression(member.initializer)) return [];
    return member.initializer.properties
      .filter(
        (one) => ts.isMethodDeclaration(one) || (ts.isPropertyAssignment(one) && isFunction(one.initializer)),
      )
      .map((one) => methodAt(`${name}.${nameOf(one)}`, one));
  });

/** The names of all exports, and of the classes that exported functions return. */
const publicNames = (files: readonly ts.SourceFile[]): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { fileName, statements } of files) {
    if (!ENTRIES.includes(fileName)) continue;
    for (const statement of statements) {
      if (
        ts.isExportDeclaration(statement) &&
        statement.exportClause &&
        ts.isNamedExports(statement.exportClause)
      ) {
        for (const one of statement.exportClause.elements) names.add(one.name.text);
      } else if (modifiersOf(statement).includes(ts.SyntaxKind.ExportKeyword)) {
        const declared = ts.isVariableStatement(statement)
          ? statement.declarationList.declarations
          : [statement];
        for (const one of declared) names.add(nameOf(one as ts.NamedDeclaration));
        if (!ts.isClassDeclaration(statement)) continue;
        for (const member of statement.members.filter(isPublic))
          if (ts.isPropertyDeclaration(member) && member.type) names.add(member.type.getText());
      }
    }
  }
  return names;
};

/** Every method and function that a user of the package can call. */
export const publicMethods = (): readonly PublicMethod[] => {
  const files = readdirSync(SOURCE)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.types.ts'))
    .map((name) =>
      ts.createSourceFile(name, readFileSync(join(SOURCE, name), 'utf8'), ts.ScriptTarget.ES2022, true),
    );
  const names = publicNames(files);
  return files
    .flatMap(({ statements }) => [...statements])
    .flatMap((statement) => {
      if (ts.isClassDeclaration(statement)) return names.has(nameOf(statement)) ? methodsOf(statement) : [];
      if (ts.isFunctionDeclaration(statement))
        return names.has(nameOf(statement)) ? methodAt(nameOf(statement), statement) : [];
      if (!ts.isVariableStatement(statement)) return [];
      return statement.declarationList.declarations
        .filter((one) => names.has(nameOf(one)) && isFunction(one.initializer))
        .map((one) => methodAt(nameOf(one), statement));
    });
};

/**
 * One program that runs all examples at once. It reports the error of each.
 * @param given Declarations that the examples assume.
 */
export const programOf = (methods: readonly PublicMethod[], given: string): string =>
  [
    given,
    'const examples: Record<string, () => Promise<unknown>> = {',
    ...methods.map(({ name, example = '' }) => `'${name}': async () => {\n${example}\n},`),
    '};',
    'const failures: Record<string, string> = {};',
    'await Promise.all(Object.entries(examples).map(([name, run]) =>',
    '  run().catch((error: unknown) => { failures[name] = String(error); })));',
    'console.log(`\\n${JSON.stringify(failures)}`);',
    'process.exit(0);',
  ].join('\n');
