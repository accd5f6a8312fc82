// Ignores mutants in messages of errors, because these are for people. Programs depend only on the class and the code
// of an error.
import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin';

const isText = (path) => path.isStringLiteral() || path.isTemplateLiteral();

const isForPeople = (path) => {
  const { parent } = path;
  const isArgument =
    (path.parentPath?.isNewExpression() || path.parentPath?.isCallExpression()) &&
    path.listKey === 'arguments';
  const callee = isArgument ? (parent.callee.name ?? parent.callee.type) : '';
  return (
    /^Super$|Error$|^QuoteMismatch$/.test(callee) ||
    (path.parentPath?.isObjectProperty() && parent.key.name === 'message')
  );
};

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'messages', {
    shouldIgnore: (path) => (isText(path) && isForPeople(path) ? 'It is text for people only.' : undefined),
  }),
];
