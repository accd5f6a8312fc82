import { messageOf, sqlStateOf } from './error-fields';

/** The SQLSTATEs that our code checks. */
export const SqlState = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  notNullViolation: '23502',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  lockNotAvailable: '55P03',
  objectInUse: '55006',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  databaseDropped: '57P04',
  idleSessionTimeout: '57P05',
  idleInTransactionTimeout: '25P03',
  readOnlyTransaction: '25006',
  tooManyConnections: '53300',
  diskFull: '53100',
  outOfMemory: '53200',
  invalidPassword: '28P01',
  invalidAuthorization: '28000',
  unknownDatabase: '3D000',
  insufficientPrivilege: '42501',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
} as const;

const LOST: ReadonlySet<string> = new Set([
  SqlState.adminShutdown,
  SqlState.crashShutdown,
  SqlState.cannotConnectNow,
  SqlState.databaseDropped,
  SqlState.idleSessionTimeout,
  SqlState.idleInTransactionTimeout,
  // A standby before its promotion, or a primary that has become a standby. The next connection may reach a primary.
  SqlState.readOnlyTransaction,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const OVERLOADED: ReadonlySet<string> = new Set([
  SqlState.queryCanceled,
  SqlState.tooManyConnections,
  SqlState.diskFull,
  SqlState.outOfMemory,
]);

/** Messages of the driver's own errors, which have no code. */
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

/**
 * Whether the connection is lost, was never opened, or leads to a server that takes no writes. A statement in flight
 * may have taken effect.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const code = sqlStateOf(error);
  return LOST.has(code) || code.startsWith('08') || LOST_MESSAGE.test(messageOf(error));
};

export const isOverloaded = (error: unknown): boolean => OVERLOADED.has(sqlStateOf(error));
