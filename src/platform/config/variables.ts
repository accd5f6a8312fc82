import { Expose, Transform, plainToInstance } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  getMetadataStorage,
  validateSync,
} from 'class-validator';

/**
 * Accepts digits only, because `Number` would accept 0x10, 1e3 and spaces. Any other text stays a text and breaks the
 * rule.
 */
const whole = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

const bool = (value: unknown): unknown => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return value;
};

export const Text =
  (max = 2_000): PropertyDecorator =>
  (target, key) => {
    Expose()(target, key);
    IsOptional()(target, key);
    IsString()(target, key);
    IsNotEmpty()(target, key);
    MaxLength(max)(target, key);
  };

const SECRETS = new Set<string>();
/** The paths of the settings that each rotating variable changes. */
const ROTATING = new Map<string, readonly string[]>();
const SWITCHES = new Set<string>();

/** Marks a secret: the log hides its value in every line. */
export const Secret = (): PropertyDecorator => (_target, key) => {
  SECRETS.add(String(key));
};

/**
 * Marks a secret that may change while the service runs, and names the settings that it changes, such as `embedder.key`.
 * Code must read them at each use. If its absence switches a part of the service off (`switches`), it can appear or
 * disappear only at a restart.
 */
export const Rotating =
  (changes: string | readonly string[], { switches = false } = {}): PropertyDecorator =>
  (target, key) => {
    Secret()(target, key);
    ROTATING.set(String(key), [changes].flat());
    if (switches) SWITCHES.add(String(key));
  };

export const Whole =
  (min: number, max: number): PropertyDecorator =>
  (target, key) => {
    Expose()(target, key);
    Transform(({ value }) => whole(value))(target, key);
    IsInt({ message: '$property must be a whole number' })(target, key);
    Min(min)(target, key);
    Max(max)(target, key);
  };

export const Flag = (): PropertyDecorator => (target, key) => {
  Expose()(target, key);
  Transform(({ value }) => bool(value))(target, key);
  IsIn([true, false], { message: '$property must be true or false' })(target, key);
};

export const Choice =
  (...values: readonly string[]): PropertyDecorator =>
  (target, key) => {
    Expose()(target, key);
    IsIn(values, { message: `$property must be one of ${values.join(', ')}` })(target, key);
  };

export const Url = (): PropertyDecorator => (target, key) => {
  Expose()(target, key);
  IsOptional()(target, key);
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: '$property must be an http or https address' },
  )(target, key);
};

export const Pattern =
  (pattern: RegExp, what: string): PropertyDecorator =>
  (target, key) => {
    Expose()(target, key);
    IsOptional()(target, key);
    Matches(pattern, { message: `$property must be ${what}` })(target, key);
  };

export const isRotating = (name: string): boolean => ROTATING.has(name);
/** The paths of the settings that a variable changes while the service runs. */
export const changedBy = (name: string): readonly string[] => ROTATING.get(name) ?? [];
export const isSwitch = (name: string): boolean => SWITCHES.has(name);
const isSecret = (name: string): boolean => SECRETS.has(name);

export type Variables = Readonly<Record<string, string | undefined>>;

/** The settings are not valid. The message lists every problem and no value, because a value may be a secret. */
export class BadSettings extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`These settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'BadSettings';
  }
}

/** The names of the variables that a class declares. */
export const namesIn = (type: new () => object): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(type, '', false, false)
      .map(({ propertyName }) => propertyName),
  );

interface Read<T> {
  readonly values: T;
  readonly problems: readonly string[];
}

/** Reads the variables that `isRead` names, and validates them by the decorators of the class. */
export const readVariables = <T extends object>(
  type: new () => T,
  variables: Variables,
  isRead: (name: string) => boolean,
  { isOurs = true } = {},
): Read<T> => {
  // An empty variable counts as unset, because the author of `NAME=` in a file means that.
  const given = Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => isRead(name) && value !== undefined && value !== ''),
  );
  // Our decorators convert their values first. The types of the properties convert all other values.
  const values = plainToInstance(type, given, {
    exposeDefaultValues: true,
    enableImplicitConversion: !isOurs,
  });
  const problems = validateSync(values, { stopAtFirstError: isOurs, forbidUnknownValues: false }).flatMap(
    (error) => Object.values(error.constraints ?? {}),
  );
  return { values, problems };
};

/** The values that no log line may contain. */
export const secretsIn = (values: object): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    isSecret(name) && typeof value === 'string' ? [value] : [],
  );
