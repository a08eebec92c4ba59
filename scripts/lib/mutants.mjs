import { join } from 'node:path';
import * as ts from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { ROOT } from './project.mjs';

/** Replacements of operators. */
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/**
 * Every mutant of the files in some folders: a text that replaces another. A condition is negated, a comparison or
 * operator changed, a constant swapped, or a statement dropped.
 */
export function mutantsOf(folders) {
  const api = new API({ cwd: ROOT });
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(ROOT, 'tsconfig.json')] }).getProjects();
    const { program } = project;
    const files = program
      .getSourceFileNames()
      .map((path) => path.slice(ROOT.length + 1))
      .filter((file) => folders.some((folder) => file === folder || file.startsWith(`${folder}/`)))
      .sort();
    return files.flatMap((file) => mutantsIn(file, program.getSourceFile(join(ROOT, file))));
  } finally {
    api.close();
  }
}

function mutantsIn(file, source) {
  const mutants = [];
  const textOf = (node) => node.getText(source);
  const add = (node, to) => {
    const from = node.getStart(source);
    const line = source.text.slice(0, from).split('\n').length;
    mutants.push({ file, line, start: from, end: node.getEnd(), from: textOf(node), to });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node;
      const to = OPERATORS[textOf(operatorToken)];
      const joinsTexts = [left, right].some((side) => /^['"`]/.test(textOf(side)));
      if (to && !joinsTexts) add(operatorToken, to);
    }
    if (ts.isIfStatement(node)) add(node.expression, `!(${textOf(node.expression)})`);
    if (ts.isConditionalExpression(node)) add(node.condition, `!(${textOf(node.condition)})`);
    if (ts.isNumericLiteral(node)) add(node, `(${textOf(node)} + 1)`);
    if (['true', 'false'].includes(textOf(node))) add(node, textOf(node) === 'true' ? 'false' : 'true');
    if (ts.isExpressionStatement(node)) add(node, ';');
    node.forEachChild(visit);
  };
  visit(source);
  return mutants;
}

/** A random sample; the same one for the same seed. */
export function drawn(mutants, count, seed) {
  // The generator of Numerical Recipes. Any generator would do, if it gives the same numbers in each version of Node.
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const left = [...mutants];
  const taken = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(Math.floor(random() * left.length), 1));
  return taken;
}
