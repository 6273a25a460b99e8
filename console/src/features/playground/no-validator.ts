/** Stands for `@rjsf/validator-ajv8` (vite.config.ts). Forms use `validator.ts`. */
export default undefined;
