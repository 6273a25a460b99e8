/**
 * Texts that people wrote may run from right to left. Each stands in an element that takes its direction from it
 * (`<Written>`, `<bdi>` or `dir="auto"`), or, inside a sentence that is a string, between isolates (`isolated`).
 */
const WRITTEN = new Set([
  ...['name', 'display_name', 'displayName', 'agent_name', 'developer_name', 'buyer_name', 'holder_name'],
  ...['description', 'explanation', 'decision_reason', 'review_reason', 'reject_reason', 'counter_argument'],
  ...[
    'developer_response',
    'response',
    'changelog',
    'user_agent',
    'statement',
    'justification',
    'agent_message',
  ],
  ...['company', 'address', 'client_name', 'contest_reason', 'waiver_reason', 'summary'],
]);
/** As variables, these often hold words of the console: in strings, only those in quotation marks count. */
const OFTEN_OURS = new Set(['name', 'description', 'response', 'address', 'summary', 'statement', 'company']);

/** The name of the written text that an expression may be, looking through operators and conditions. */
function writtenName(node) {
  switch (node.type) {
    case 'LogicalExpression':
      return (node.operator === '&&' ? undefined : writtenName(node.left)) ?? writtenName(node.right);
    case 'ConditionalExpression':
      return writtenName(node.consequent) ?? writtenName(node.alternate);
    case 'ChainExpression':
    case 'TSNonNullExpression':
      return writtenName(node.expression);
    case 'MemberExpression':
      return !node.computed && WRITTEN.has(node.property.name) ? node.property.name : undefined;
    case 'Identifier':
      return WRITTEN.has(node.name) ? node.name : undefined;
    default:
      return undefined;
  }
}

const takesDirection = ({ name, attributes }) =>
  ['bdi', 'Written'].includes(name.name) || attributes.some(({ name: each }) => each?.name === 'dir');

export const writtenText = {
  create: (context) => ({
    JSXExpressionContainer(node) {
      const { parent } = node;
      if (parent.type !== 'JSXElement' && parent.type !== 'JSXFragment') return;
      const name = writtenName(node.expression);
      if (name === undefined || (parent.type === 'JSXElement' && takesDirection(parent.openingElement)))
        return;
      context.report({
        node,
        message: `People wrote "${name}": put it into <Written>, <bdi> or dir="auto".`,
      });
    },
    TemplateLiteral(node) {
      if (node.parent.type === 'TaggedTemplateExpression') return;
      for (const [index, expression] of node.expressions.entries()) {
        const name = writtenName(expression);
        if (name === undefined) continue;
        const isOurs = expression.type === 'Identifier' && OFTEN_OURS.has(name);
        if (isOurs && !node.quasis[index].value.raw.endsWith('"')) continue;
        context.report({ node: expression, message: `People wrote "${name}": write isolated(…) around it.` });
      }
    },
  }),
};
