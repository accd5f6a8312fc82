import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Abi, Hex } from 'viem';

export interface CompiledContract {
  readonly abi: Abi;
  /** The bytecode that a deployment sends. */
  readonly creationCode: Hex;
  /** The bytecode at the address of the contract after the deployment. */
  readonly runtimeCode: Hex;
}

type CompiledContracts = Readonly<Record<string, CompiledContract>>;

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, SolcContract>>>>;
}

interface SolcContract {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
}

const CONTRACTS_DIR = path.join(__dirname, 'contracts');
const CACHE_DIR = path.resolve(__dirname, '../../node_modules/.cache/lamppost-chain');

let compiled: CompiledContracts | undefined;

/** A contract of the local chain. Compiling takes over a second, so the result is cached until a source changes. */
export const compiledContract = (name: string): CompiledContract => {
  compiled ??= fromCache(standardInput());
  const contract = compiled[name];
  if (contract === undefined) {
    throw new Error(`No contract ${name} in ${CONTRACTS_DIR}.`);
  }
  return contract;
};

const standardInput = (): string => {
  const files = fs.readdirSync(CONTRACTS_DIR).filter((file) => file.endsWith('.sol'));
  const sources = files
    .sort()
    .map((file) => [file, { content: fs.readFileSync(path.join(CONTRACTS_DIR, file), 'utf8') }]);
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      // Without the hash of the sources in the bytecode, a changed comment does not change the addresses of CREATE2.
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  });
};

const fromCache = (input: string): CompiledContracts => {
  const key = createHash('sha256').update(solcVersion()).update(input).digest('hex').slice(0, 32);
  const file = path.join(CACHE_DIR, `${key}.json`);
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as CompiledContracts;
  } catch {
    const fresh = compile(input);
    keep(file, JSON.stringify(fresh));
    return fresh;
  }
};

/**
 * Stores the result. A rename makes the file complete at once, because other test workers read it. In a read-only tree
 * nothing is stored.
 */
const keep = (file: string, text: string): void => {
  const draft = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(CACHE_DIR, { recursive: true });
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
};

const solcVersion = (): string => {
  const manifest = fs.readFileSync(require.resolve('solc/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
};

/** Runs the compiler in a separate process. In this process it would keep 30 MB of memory and process-wide handlers. */
const compile = (input: string): CompiledContracts => {
  const text = execFileSync(process.execPath, [require.resolve('solc/solc.js'), '--standard-json'], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const output = JSON.parse(text.slice(text.indexOf('{'))) as SolcOutput;
  const problems = output.errors ?? [];
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'));
  }
  const contracts = Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file));
  return Object.fromEntries(contracts.map(([name, contract]) => [name, toCompiled(contract)]));
};

const toCompiled = ({ abi, evm }: SolcContract): CompiledContract => ({
  abi,
  creationCode: `0x${evm.bytecode.object}`,
  runtimeCode: `0x${evm.deployedBytecode.object}`,
});
