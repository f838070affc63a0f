"""Phrases that are not plain English, by the table of words that the glossary ends with: for check_readme (pages) and
check_catalogue (sentences)."""

UNPLAIN = [
    r"foret(?:ell|old)", r"\b(?:is|are|was|as) told\b", r"\btells? (?:more|another)\b", r"\b(?:row|rows|nothing|none) tells?\b",
    r"(?<!there )\bis no (?!longer\b)", r"(?<!there )\bare no (?!longer\b)", r"\blacking here\b", r"\bbr(?:ings?|ought) (?:them|it) in\b",
    r"\bgoes on\b", r"\bin (?:the|its) way\b", r"\bhas its say\b", r"\bcame of\b", r"\bunpacks? to (?:much|more)\b",
    r"\bturns the edges\b", r"\bforeign files?\b", r"\bnames of people\b", r"\bgone over\b", r"\blooked through\b",
    r"\bhelps in part\b", r"\bknown from before\b", r"\bas far as [^.|]* go\b", r"\bwould(?: not)? do\b", r"\bdossier", r"\btestimony",
    r"\brefuted\b", r"\ball the same\b", r"\bwith this file here\b", r"\bmarked anew\b", r"\bnobody uses\b", r"\bnot ours to\b",
    r"\bcan be had\b", r"\bwithout search tags\b", r"\bhas to be so\b", r"\bnothing in it hides\b",
]
