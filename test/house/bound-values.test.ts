import { resolve } from 'node:path';
import type { CallExpression, Expression, Node, SourceFile } from 'typescript/unstable/ast' with {
  'resolution-mode': 'import',
};
import type { API, Checker, Type } from 'typescript/unstable/sync' with { 'resolution-mode': 'import' };
import { afterAll, beforeAll, expect, it } from 'vitest';

const REPOSITORY = resolve(__dirname, '../..');
const NOT_SHIPPED = /^(test|bench|chaos|examples|dist|node_modules)\//;

/**
 * Texts that become SQL unchanged and are not literals in the code, each with the reason why it is harmless. Values
 * from callers must not be listed here.
 */
const EXCUSED: Record<string, string> = {
  'migrations/0001-0029/0001-ledger.ts: schema': 'a name by the pattern of openStore',
  'migrations/0001-0029/0004-retention.ts: schema': 'a name by the pattern of openStore',
  'migrations/0001-0029/0004-retention.ts: `escapement retire ${schema}`': 'made of such a name',
  'migrations/0001-0029/0004-retention.ts: `${schema}.meta`': 'made of such a name',
  "migrations/0001-0029/0004-retention.ts: `lo timestamptz := date_trunc('month', ${parameter} at time zone 'UTC') at time zone 'UTC';":
    'the name of a parameter, which its callers write',
  'migrations/0001-0029/0026-analyze.ts: `${schema}.firings`': 'made of such a name',
  'migrations/0030-0059/0057-counts.ts: schema': 'a name by the pattern of openStore',
  'migrations/0030-0059/0057-counts.ts: `escapement count ${schema}`': 'made of such a name',
  'migrations/0030-0059/0057-counts.ts: `${schema}.firings`': 'made of such a name',
  'migrations/0060-0089/0065-callers.ts: `${schema}.${signature}`': 'made of such a name',
  'migrations/0060-0089/0065-callers.ts: `escapement grants ${schema}`': 'made of such a name',
  'migrations/0060-0089/0066-only-firings.ts: `escapement grants ${schema}`': 'made of such a name',
  'migrations/index-steps.ts: definition': 'the columns of an index, which a migration writes',
  'provision/temporal-cluster.ts: statement': 'statements of a server for development, with names made there',
  'store/archive/restore.ts: month.from.toISOString()': 'digits, however the date was made',
  'store/archive/restore.ts: month.until.toISOString()': 'digits, however the date was made',
  'store/archive/rows.ts: instant.toISOString()': 'digits, however the date was made',
  'store/rights.ts: grant': 'the role is quoted, and must be one of pg_roles',
  'store/join.ts: withTextForJson(text)': 'what the query builder compiled, handed on with its values',
  'store/leases.ts: `select "${schema}".guard_lease($1, $2, $3)::text`': 'a quoted name by the pattern of openStore',
  "store/session.ts: boundsOf(this.rules, 'set')": 'numbers of the options, which are checked',
  'testing/database.ts: `drop database if exists ${name} with (force)`': 'a name made there',
  'testing/database.ts: `create database ${name} template ${template} ${strategy}`':
    'names made there, and a choice of two',
  'testing/database.ts: `alter database ${name} set synchronous_commit to off`': 'a name made there',
  'testing/database.ts: `alter database ${name} set timezone to ${admin.escapeLiteral(timezone)}`':
    'escaped, for tests',
  'testing/database.ts: `drop database if exists ${building} with (force)`': 'a name made there',
  "testing/database.ts: `update ${DEFAULTS.schema}.meta set value = to_jsonb(gen_random_uuid()::text) where key = 'installation'`":
    'the name of the code',
  'testing/database.ts: `create database ${building}`': 'a name made there',
  'testing/database.ts: `alter database ${building} rename to ${template}`': 'names made there',
};

let api: API;
let ts: typeof import('typescript/unstable/ast', { with: { 'resolution-mode': 'import' }});
let flags: typeof import('typescript/unstable/sync', { with: { 'resolution-mode': 'import' }})['TypeFlags'];
let checker: Checker;
let files: { name: string; source: SourceFile }[];

beforeAll(async () => {
  const sync = await import('typescript/unstable/sync');
  ts = await import('typescript/unstable/ast');
  flags = sync.TypeFlags;
  api = new sync.API({ cwd: REPOSITORY });
  const [project] = api.updateSnapshot({ openProjects: [`${REPOSITORY}/tsconfig.json`] }).getProjects();
  checker = project!.checker;
  const { program } = project!;
  files = program
    .getSourceFileNames()
    .filter((path) => path.startsWith(`${REPOSITORY}/`) && !path.endsWith('.d.ts'))
    .map((path) => ({ name: path.slice(REPOSITORY.length + 1), source: program.getSourceFile(path)! }));
});
afterAll(() => api.close());

it('no text of a caller becomes SQL: values are bound, and all else is a text in the code', () => {
  const shipped = files.filter(({ name }) => !NOT_SHIPPED.test(name));
  // There are some thirty calls of `sql.lit` alone. Finding fewer means that the wrong files were read.
  expect(shipped.length).toBeGreaterThan(500);
  const found = shipped.flatMap(({ name, source }) => textsIn(source).map((text) => `${name}: ${text}`));
  expect(found.filter((text) => !(text in EXCUSED))).toEqual([]);
  // An exception for code that no longer exists must be removed.
  expect(Object.keys(EXCUSED).filter((text) => !found.includes(text))).toEqual([]);
});

it('a value that is put into SQL is found, however it gets there', () => {
  const { source } = files.find(({ name }) => name === 'test/support/statements/unbound-values.ts')!;
  // Where a template would be meant, a linter takes the sign for a mistake.
  expect(textsIn(source).map((text) => text.replaceAll('$', '§'))).toEqual([
    'name',
    '`f.state = §{name}`',
    "`select '§{name}'`",
    '`select §{name}`',
    '`select §{name}`',
    'sql',
  ]);
});

/** Each place of a file where text that is not a literal becomes SQL: its first line. */
function textsIn(source: SourceFile): string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    const text = ts.isCallExpression(node) ? textOf(node) : ts.isIdentifier(node) ? strayTag(node) : undefined;
    if (text && !isOfTheCode(checker.getTypeAtLocation(text))) texts.push(text.getText(source).split('\n', 1)[0]!);
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

/**
 * The argument that a call sends as SQL: of `sql.raw`, `sql.lit` and `CompiledQuery.raw`, and of a connection's
 * `query`.
 */
function textOf({ expression, arguments: [given] }: CallExpression): Expression | undefined {
  if (!ts.isPropertyAccessExpression(expression) || !given) return undefined;
  const of = expression.expression.getText();
  const { text: method } = expression.name;
  if (['raw', 'lit', 'literal'].includes(method) && ['sql', 'CompiledQuery'].includes(of)) return given;
  if (method !== 'query' || !isConnection(expression.expression)) return undefined;
  if (!ts.isObjectLiteralExpression(given)) return isText(given) ? given : undefined;
  const text = given.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === 'text');
  return text && ts.isPropertyAssignment(text) ? text.initializer : undefined;
}

/** As a tag, the query builder binds its values. Called as a function, or passed on, it might not. */
function strayTag(node: Node): Expression | undefined {
  if (node.getText() !== 'sql' || !ts.isIdentifier(node)) return undefined;
  const { parent } = node;
  const isTag = ts.isTaggedTemplateExpression(parent) && parent.tag === node;
  const isMember = ts.isPropertyAccessExpression(parent);
  const isName = ts.isImportSpecifier(parent) || ts.isTypeQueryNode(parent) || ts.isPropertyAssignment(parent);
  return isTag || isMember || isName ? undefined : node;
}

/**
 * Whether every possible value of an expression is written in the code, or contains no quotes: literals, numbers,
 * booleans.
 */
function isOfTheCode(type: Type | undefined): boolean {
  if (!type) return false;
  const harmless = flags.StringLiteral | flags.NumberLike | flags.BooleanLike;
  const parts = type.isUnionType() ? type.getTypes() : [type];
  return parts.every((part) => (part.flags & harmless) !== 0);
}

function isText(node: Expression): boolean {
  const type = checker.getTypeAtLocation(node);
  return type !== undefined && (type.flags & flags.StringLike) !== 0;
}

function isConnection(node: Expression): boolean {
  const type = checker.getTypeAtLocation(node);
  return type !== undefined && checker.getPropertyOfType(type, 'query') !== undefined;
}
