import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
// TypeScript 5, since the native compiler has no API for types yet.
import type TypeScript from '../../../node_modules/@arethetypeswrong/core/node_modules/typescript';
import { typescript5 } from '../packages/packed-project';

const ts: typeof TypeScript = require(typescript5());
const ROOT = resolve(__dirname, '../../..');

/** The JavaScript type of a column, as `pg` returns it. */
export type Kind = 'boolean' | 'number' | 'string' | 'Date' | 'Buffer' | 'json' | `${string}[]`;

/** A place in `store/` that sends a statement, and the type that its code expects of the rows. */
export interface Site {
  /** Such as `store/settings.ts:43`. */
  at: string;
  /** Undefined if the code expects no type. */
  columns: Map<string, ClaimedColumn> | undefined;
}

export interface ClaimedColumn {
  type: string;
  isOptional: boolean;
  /** Whether a value of this type is what the code expects. */
  fits(kind: Kind): boolean;
}

/** Every call that sends a statement of `store/`: `statement.execute(db)`, or `run(store, statement)`. */
export function claimedSites(): Map<string, Site> {
  const folder = join(ROOT, 'store');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const sites = new Map<string, Site>();
  for (const file of files) {
    const source = program.getSourceFile(join(folder, file))!;
    const visit = (node: TypeScript.Node): void => {
      ts.forEachChild(node, visit);
      if (!ts.isCallExpression(node)) return;
      const sent = statementOf(node);
      const rows = sent && rowsOf(checker, checker.getTypeAtLocation(sent.statement));
      // Code that only passes on other code's statements expects no type.
      if (!rows || rows.flags & ts.TypeFlags.TypeParameter) return;
      const { line } = source.getLineAndCharacterOfPosition(sent.name.getStart());
      const at = `store/${file}:${line + 1}`;
      if (sites.has(at)) throw new Error(`${at} sends two statements in one line`);
      sites.set(at, { at, columns: columnsOf(checker, rows, node) });
    };
    visit(source);
  }
  return sites;
}

/** The statement that a call sends, and where V8 says that the call is. */
function statementOf(call: TypeScript.CallExpression) {
  const { expression: callee, arguments: given } = call;
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'execute') {
    return { statement: callee.expression, name: callee.name };
  }
  if (ts.isIdentifier(callee) && callee.text === 'run' && given[1]) return { statement: given[1], name: callee };
  return undefined;
}

/** The row type of a `RawBuilder`; undefined for another type. */
function rowsOf(checker: TypeScript.TypeChecker, type: TypeScript.Type): TypeScript.Type | undefined {
  if (type.symbol?.name !== 'RawBuilder') return undefined;
  return checker.getTypeArguments(type as TypeScript.TypeReference)[0];
}

function columnsOf(checker: TypeScript.TypeChecker, rows: TypeScript.Type, at: TypeScript.Node): Site['columns'] {
  if (rows.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return undefined;
  // For a union of row types, take the columns of all of them.
  const kinds = rows.isUnion() ? rows.types : [rows];
  const columns = new Map<string, ClaimedColumn>();
  for (const property of kinds.flatMap((kind) => checker.getPropertiesOfType(kind))) {
    const { name } = property;
    const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, at));
    const known = columns.get(name);
    columns.set(name, {
      type: checker.typeToString(type),
      isOptional: kinds.some((kind) => isOptional(kind.getProperty(name))),
      fits: (kind: Kind) => fits(checker, type, kind) || known?.fits(kind) === true,
    });
  }
  return columns;
}

function isOptional(property: TypeScript.Symbol | undefined): boolean {
  return property === undefined || (property.flags & ts.SymbolFlags.Optional) !== 0;
}

function fits(checker: TypeScript.TypeChecker, type: TypeScript.Type, kind: Kind): boolean {
  if (type.isUnion()) return type.types.every((one) => fits(checker, one, kind));
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return true;
  // `T & {}`, and a branded string.
  if (type.isIntersection() && kind !== 'json') return type.types.some((one) => fits(checker, one, kind));
  if (kind.endsWith('[]')) {
    const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as TypeScript.TypeReference) : [];
    return element !== undefined && fits(checker, checker.getNonNullableType(element), kind.slice(0, -2) as Kind);
  }
  if (kind === 'Buffer') return ['Buffer', 'Uint8Array'].includes(type.symbol?.name);
  const isDate = type.symbol?.name === 'Date';
  if (kind === 'Date') return isDate;
  // `pg` parses JSON, which may give any type but a Date.
  if (kind === 'json') return !isDate;
  const flags = {
    boolean: ts.TypeFlags.BooleanLike,
    number: ts.TypeFlags.NumberLike,
    string: ts.TypeFlags.StringLike,
  };
  return (type.flags & flags[kind as keyof typeof flags]) !== 0;
}
