// Makes clients/typescript/dist: the package for those who import it and for those who require it, with its types.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
const KINDS = {
  esm: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  cjs: {
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
  },
};

const { config } = ts.readConfigFile(join(PACKAGE, 'tsconfig.json'), (file) => ts.sys.readFile(file));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, PACKAGE);

rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
for (const [kind, module] of Object.entries(KINDS)) {
  const outDir = join(PACKAGE, 'dist', kind);
  const program = ts.createProgram(fileNames, { ...options, ...module, outDir });
  const { diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) {
    console.error(
      ts.formatDiagnosticsWithColorAndContext(problems, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => ROOT,
        getNewLine: () => '\n',
      }),
    );
    process.exit(1);
  }
  writeFileSync(
    join(outDir, 'package.json'),
    JSON.stringify({ type: kind === 'esm' ? 'module' : 'commonjs' }),
  );
}
cpSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
