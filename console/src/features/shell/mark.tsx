/** The mark of the marketplace, drawn as in `public/icon.svg`, which the browser alone asks for. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width={26} height={26} aria-hidden>
      <rect width="32" height="32" rx="8" fill="#0b7285" />
      <path
        d="M9 22V10l7 7 7-7v12"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
