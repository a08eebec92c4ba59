import { Option } from 'commander';

/** A former name of an option: it is taken, and no help shows it. */
export function alias(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
