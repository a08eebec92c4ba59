import { parseArgs } from 'node:util';
import { askOutsideLinks } from './lib/docs/outside-links.mjs';
import { say } from './lib/project.mjs';

/** Ask whether the links of the pages to other sites lead somewhere. With `--require-answers` each must be answered. */
const { values } = parseArgs({ options: { 'require-answers': { type: 'boolean', default: false } } });
const { code, output, note } = await askOutsideLinks({ isRequired: values['require-answers'] });
say(`${code === 0 ? 'ok    ' : 'FAILED'} outside links: ${note}`);
if (output !== '') say(output);
process.exitCode = code;
